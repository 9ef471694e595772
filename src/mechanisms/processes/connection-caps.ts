import type { Server, Socket } from "node:net";

/** How many connections a server holds. */
export interface ConnectionCaps {
  readonly total: number;
  /** From one address; many callers may share one. */
  readonly ofAddress: number;
}

/** Options of an HTTP server with which callers cannot hold connections without asking something. */
export const PATIENCE = {
  /** For a TLS handshake, in milliseconds. */
  handshakeTimeout: 10_000,
  /** How often the other limits are looked at, in milliseconds. */
  connectionsCheckingInterval: 2_000,
} as const;

/** From now on the server ends connections above these numbers as they come, without a word. Those that it has stay. */
export function capConnections(server: Server, { total, ofAddress }: ConnectionCaps): void {
  server.maxConnections = total;
  const open = new Map<string, number>();
  // before the listener that would begin a handshake
  server.prependListener("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    const count = (open.get(remoteAddress) ?? 0) + 1;
    open.set(remoteAddress, count);
    socket.once("close", () => {
      const left = (open.get(remoteAddress) ?? 1) - 1;
      if (left === 0) open.delete(remoteAddress);
      else open.set(remoteAddress, left);
    });
    if (count > ofAddress) socket.destroy();
  });
}
