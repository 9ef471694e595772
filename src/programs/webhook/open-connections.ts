import type { Server } from "node:https";
import type { Socket } from "node:net";

/** The connections of a server, each with what it is doing. */
export interface OpenConnections {
  /** Counts the connection as busy until `answer` is there. */
  whileBusy<T>(connection: Socket, answer: Promise<T>): Promise<T>;
  /** Ends the connections that have been without a request to answer for `silentMs`. */
  endSilent(silentMs: number): void;
}

interface Connection {
  readonly socket: Socket;
  busy: number;
  /** When it was opened or got its last answer, on the clock of `performance`. */
  silentSince: number;
}

/**
 * Follows the connections of `server`. `closeIdleConnections` of node leaves out those that have not sent a whole request,
 * and an API server keeps connections in reserve that it never uses.
 */
export function followConnections(server: Server): OpenConnections {
  const open = new Map<string, Connection>();
  server.on("connection", (socket: Socket) => {
    const key = keyOf(socket);
    open.set(key, { socket, busy: 0, silentSince: performance.now() });
    socket.once("close", () => open.delete(key));
  });
  return {
    async whileBusy(connection, answer) {
      const known = open.get(keyOf(connection));
      if (known === undefined) return answer;
      known.busy += 1;
      try {
        return await answer;
      } finally {
        known.busy -= 1;
        known.silentSince = performance.now();
      }
    },
    endSilent(silentMs) {
      const latest = performance.now() - silentMs;
      for (const { socket, busy, silentSince } of [...open.values()]) {
        if (busy === 0 && silentSince <= latest) socket.destroy();
      }
    },
  };
}

/** A request comes on the encrypted side of a connection; both sides have the same peer. */
function keyOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
