import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";

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

/**
 * From now on the server holds no more connections than these. The oldest one that has asked nothing gives way to one that comes, first
 * of the same address: who holds silent connections keeps out neither others nor those behind its own address, as a probe of the
 * kubelet may be. One that comes where all have asked something is ended without a word.
 */
export function capConnections(server: Server | SecureServer, { total, ofAddress }: ConnectionCaps): void {
  const connections = new OpenConnections();
  // before the listener that would begin a handshake
  server.prependListener("connection", (socket: Socket) => {
    const mayStay =
      (connections.of(socket).size < ofAddress || connections.endSilent(connections.of(socket))) &&
      (connections.all.size < total || connections.endSilent(connections.all));
    if (mayStay) connections.add(socket);
    else socket.destroy();
  });
  server.on("request", ({ socket }: { readonly socket: Socket }) => {
    connections.noteRequest(socket);
  });
}

/** Those of a server by address and port, which a TLS socket shares with the one below it; the oldest first. At most `total` of them. */
class OpenConnections {
  readonly all = new Map<string, Socket>();
  /** No address without connections is kept. */
  readonly #ofAddress = new Map<string, Map<string, Socket>>();
  readonly #silent = new Set<string>();

  of({ remoteAddress = "" }: Socket): ReadonlyMap<string, Socket> {
    return this.#ofAddress.get(remoteAddress) ?? new Map<string, Socket>();
  }

  add(socket: Socket): void {
    const { remoteAddress = "" } = socket;
    const name = nameOf(socket);
    const same = this.#ofAddress.get(remoteAddress) ?? new Map<string, Socket>();
    this.#ofAddress.set(remoteAddress, same.set(name, socket));
    this.all.set(name, socket);
    this.#silent.add(name);
    socket.once("close", () => {
      this.#remove(name, remoteAddress, socket);
    });
  }

  noteRequest(socket: Socket): void {
    this.#silent.delete(nameOf(socket));
  }

  /** False when each of them has asked something. */
  endSilent(among: ReadonlyMap<string, Socket>): boolean {
    for (const [name, socket] of among) {
      if (!this.#silent.has(name)) continue;
      this.#remove(name, socket.remoteAddress ?? "", socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  #remove(name: string, address: string, socket: Socket): void {
    // another one may have the name by now
    if (this.all.get(name) !== socket) return;
    this.all.delete(name);
    this.#silent.delete(name);
    const same = this.#ofAddress.get(address);
    same?.delete(name);
    if (same?.size === 0) this.#ofAddress.delete(address);
  }
}

function nameOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
