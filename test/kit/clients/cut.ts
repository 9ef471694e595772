import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to an engine that can end a client's connections as a node does that leaves. */
export interface Cutter extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /**
   * Ends the connection on which the next request with this command comes, before the engine has it, and then all others; new ones are
   * forwarded.
   */
  cut(command: string): Promise<Cut>;
}

/** What a cut took away, and when. */
export interface Cut {
  /** What the client had sent without an answer. */
  readonly request: string;
  /** By the steady clock that processes of a machine share, in nanoseconds. */
  readonly at: bigint;
}

interface Waiting {
  readonly command: string;
  readonly done: PromiseWithResolvers<Cut>;
}

/** Starts it before the engine. */
export async function startCutter(address: { readonly host: string; readonly port: number }): Promise<Cutter> {
  const clients = new Set<Socket>();
  const all = new Set<Socket>();
  let waiting: Waiting | undefined;
  const keep = (socket: Socket): void => {
    all.add(socket);
    socket.once("close", () => all.delete(socket)).on("error", () => socket.destroy());
  };
  const server = createServer({ noDelay: true }, (client) => {
    const engine = connect({ host: address.host, port: address.port, noDelay: true });
    let isWatching = false;
    keep(client);
    keep(engine);
    clients.add(client);
    client.once("close", () => (clients.delete(client), engine.destroy()));
    engine.once("close", () => client.destroy()).pipe(client);
    client.on("data", (data: Buffer) => {
      const text = data.toString("latin1");
      isWatching ||= text.includes("\r\nWATCH\r\n");
      if (waiting === undefined || isWatching || !text.toUpperCase().includes(`\r\n${waiting.command}\r\n`))
        return engine.write(data);
      waiting.done.resolve({ request: text, at: process.hrtime.bigint() });
      waiting = undefined;
      for (const other of clients) other.destroy();
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: "127.0.0.1",
    port: portOf(server.address()),
    cut: (command) => {
      const done = Promise.withResolvers<Cut>();
      waiting = { command, done };
      return done.promise;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function portOf(bound: AddressInfo | string | null): number {
  if (typeof bound !== "object" || bound === null) throw new Error("a server on a port has one");
  return bound.port;
}
