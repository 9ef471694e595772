import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import { connectAny, joinSockets } from "./forward-connection.ts";
import type { TcpAddress } from "./address.ts";

/** An address to listen on and the places that its connections go to, in turn. */
export interface Forward {
  readonly listen: TcpAddress;
  readonly backends: readonly TcpAddress[];
}

/** Listens on a set of addresses and carries each new connection to one of the backends of its address. */
export interface Forwarder {
  /**
   * Makes `forwards` the whole set; resolves when each of its addresses listens or has said why not. An address without
   * backends refuses connections. Connections that exist stay, whatever becomes of their backend in the table.
   */
  configure(forwards: readonly Forward[]): Promise<void>;
  /** Stops listening and cuts what is connected. */
  close(): Promise<void>;
}

interface Listener {
  readonly server: Server;
  backends: readonly TcpAddress[];
  turn: number;
}

/** A forwarder in this thread. */
export function createForwarder(log: Log): Forwarder {
  const listeners = new Map<string, Listener>();
  const clients = new Set<Socket>();
  const serve = (listener: Listener, client: Socket): void => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    void carry(client, inTurn(listener), log);
  };
  return {
    configure: async (forwards) => {
      const wanted = new Map(
        forwards.filter(({ backends }) => backends.length > 0).map((each) => [addressKey(each.listen), each]),
      );
      const dropped = [...listeners].filter(([key]) => !wanted.has(key));
      for (const [key, { server }] of dropped) {
        server.close();
        listeners.delete(key);
      }
      await Promise.all(
        [...wanted].map(async ([key, { listen, backends }]) => {
          const present = listeners.get(key);
          if (present !== undefined) present.backends = backends;
          else listeners.set(key, await listenAt(listen, backends, serve, log));
        }),
      );
    },
    close: async () => {
      const closed = [...listeners.values()].map(({ server }) => new Promise((resolve) => server.close(resolve)));
      for (const client of clients) client.destroy();
      await Promise.all(closed);
    },
  };
}

async function listenAt(
  address: TcpAddress,
  backends: readonly TcpAddress[],
  serve: (listener: Listener, client: Socket) => void,
  log: Log,
): Promise<Listener> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
  const listener: Listener = { server, backends, turn: 0 };
  server.on("connection", (client) => {
    serve(listener, client);
  });
  await new Promise<void>((resolve) => {
    server.on("error", (error) => {
      log.warn("service address cannot be served", { ...address, error });
      resolve();
    });
    server.listen(address.port, address.host, resolve);
  });
  return listener;
}

/** All backends, beginning with the one whose turn it is. */
function inTurn(listener: Listener): readonly TcpAddress[] {
  const at = listener.turn % Math.max(1, listener.backends.length);
  listener.turn = at + 1;
  return [...listener.backends.slice(at), ...listener.backends.slice(0, at)];
}

async function carry(client: Socket, backends: readonly TcpAddress[], log: Log): Promise<void> {
  try {
    joinSockets(client, await connectAny(client, backends));
  } catch (error) {
    log.debug("connection could not be carried to any endpoint", {
      backends: backends.length,
      error: messageOf(error),
    });
    client.resetAndDestroy();
  }
}

function addressKey({ host, port }: TcpAddress): string {
  return `${host}:${port}`;
}
