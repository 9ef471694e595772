import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";

/** How many connections a server holds. */
export interface ConnectionCaps {
  readonly total: number;
  /** From one address; many callers may share one. */
  readonly ofAddress: number;
  /** Callers need not say who they are: a connection that has asked gives way too, unless a whole request of it waits for its answer. */
  readonly isOpenToAll?: boolean;
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
 * kubelet may be. Where everyone may ask, asking earns no place: the address with the most connections gives one of them. One that comes
 * where none gives way is ended without a word.
 */
export function capConnections(
  server: Server | SecureServer,
  { total, ofAddress, isOpenToAll = false }: ConnectionCaps,
): void {
  const connections = new OpenConnections();
  const isRoomMade = (): boolean =>
    (isOpenToAll && connections.endOldest(connections.ofMost())) || connections.endOldest(connections.all);
  // before the listener that would begin a handshake
  server.prependListener("connection", (socket: Socket) => {
    const mayStay =
      (connections.of(socket).size < ofAddress || connections.endOldest(connections.of(socket))) &&
      (connections.all.size < total || isRoomMade());
    if (mayStay) connections.add(socket);
    else socket.destroy();
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (isOpenToAll) holdWhileAnswered(connections, request, response);
    else connections.hold(request.socket);
  });
}

/** From the last byte of the question to the end of the answer, whether or not the caller reads it. */
function holdWhileAnswered(connections: OpenConnections, request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  request.once("end", () => {
    if (!response.writableEnded) connections.hold(socket);
  });
  response.once("prefinish", () => {
    connections.release(socket);
  });
}

/** Those of a server by address and port, which a TLS socket shares with the one below it; the oldest first. At most `total` of them. */
class OpenConnections {
  readonly all = new Map<string, Socket>();
  /** No address without connections is kept. */
  readonly #ofAddress = new Map<string, Map<string, Socket>>();
  /** Those that give way. */
  readonly #free = new Set<string>();

  of({ remoteAddress = "" }: Socket): ReadonlyMap<string, Socket> {
    return this.#ofAddress.get(remoteAddress) ?? new Map<string, Socket>();
  }

  add(socket: Socket): void {
    const { remoteAddress = "" } = socket;
    const name = nameOf(socket);
    const same = this.#ofAddress.get(remoteAddress) ?? new Map<string, Socket>();
    this.#ofAddress.set(remoteAddress, same.set(name, socket));
    this.all.set(name, socket);
    this.#free.add(name);
    socket.once("close", () => {
      this.#remove(name, remoteAddress, socket);
    });
  }

  /** From now on it does not give way. */
  hold(socket: Socket): void {
    this.#free.delete(nameOf(socket));
  }

  /** It gives way again. */
  release(socket: Socket): void {
    if (this.all.has(nameOf(socket))) this.#free.add(nameOf(socket));
  }

  /** Those of the address that has the most. */
  ofMost(): ReadonlyMap<string, Socket> {
    return [...this.#ofAddress.values()].reduce((most, one) => (one.size > most.size ? one : most), new Map());
  }

  /** False when none of them gives way. */
  endOldest(among: ReadonlyMap<string, Socket>): boolean {
    for (const [name, socket] of among) {
      if (!this.#free.has(name)) continue;
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
    this.#free.delete(name);
    const same = this.#ofAddress.get(address);
    same?.delete(name);
    if (same?.size === 0) this.#ofAddress.delete(address);
  }
}

function nameOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
