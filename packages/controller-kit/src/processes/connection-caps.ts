import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";

/** How many connections a server holds. */
export interface ConnectionCaps {
  readonly total: number;
  /** From one address; many callers may share one. */
  readonly ofAddress: number;
  /** How many connections that are not kept may wait for their answers; all of them when absent. The rest is for those that are kept, or may be. */
  readonly waiting?: number;
}

/** The connections of a server that holds no more than it may. */
export interface CappedConnections {
  /** From now on this one gives way to no other: its caller has shown that it is one of those whom the server is there for. */
  keep(socket: Socket): void;
}

/** Options of an HTTP server that keep callers from holding connections without asking something. */
export const PATIENCE = {
  /** For a TLS handshake, in milliseconds. */
  handshakeTimeout: 10_000,
  /** How often the other limits are looked at, in milliseconds. */
  connectionsCheckingInterval: 2_000,
} as const;

/**
 * Limits the connections that the server holds from now on. A connection gives way to a new one: of the same address when that address has its
 * share, else of the address with the most that can. Of these it is the oldest that has asked nothing, or else the oldest; none that is kept,
 * and none of which a whole request waits for its answer. So a client that fills them, silent or by asking now and then, keeps out neither
 * others nor those behind its own address, as a probe of the kubelet may be. A new connection for which none gives way is ended without a word.
 * When more wait for their answers than may, the oldest of them ends, of the address with the most: none that is kept.
 */
export function capConnections(
  server: Server | SecureServer,
  { total, ofAddress, waiting = total }: ConnectionCaps,
): CappedConnections {
  const connections = new OpenConnections();
  // before the listener that would begin a handshake
  server.prependListener("connection", (socket: Socket) => {
    const mayStay =
      (connections.countOf(socket) < ofAddress || connections.endOneOf(socket)) &&
      (connections.count < total || connections.endOne());
    if (mayStay) connections.add(socket);
    else socket.destroy();
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const open = connections.find(request.socket);
    if (open === undefined) return;
    holdWhileAnswered(open, request, response, () => {
      connections.endWaiting(waiting);
    });
  });
  return {
    keep: (socket) => {
      const open = connections.find(socket);
      if (open !== undefined) open.isKept = true;
    },
  };
}

/** From the last byte of the question to the end of the answer, whether or not the caller reads it. */
function holdWhileAnswered(open: Open, request: IncomingMessage, response: ServerResponse, onHeld: () => void): void {
  open.isSilent = false;
  request.once("end", () => {
    open.isHeld = !response.writableEnded;
    if (open.isHeld) onHeld();
  });
  response.once("prefinish", () => {
    open.isHeld = false;
  });
}

interface Open {
  readonly socket: Socket;
  readonly address: string;
  /** It has asked nothing. */
  isSilent: boolean;
  isKept: boolean;
  isHeld: boolean;
}

/** The connections of a server by address and port, which a TLS socket shares with the one below it; the oldest first. At most `total` of them. */
class OpenConnections {
  readonly #all = new Map<string, Open>();
  /** How many each address has; none without connections. */
  readonly #ofAddress = new Map<string, number>();

  get count(): number {
    return this.#all.size;
  }

  countOf({ remoteAddress = "" }: Socket): number {
    return this.#ofAddress.get(remoteAddress) ?? 0;
  }

  /** The entry of a connection; undefined when it is not there any more. */
  find(socket: Socket): Open | undefined {
    return this.#all.get(nameOf(socket));
  }

  add(socket: Socket): void {
    const { remoteAddress: address = "" } = socket;
    const name = nameOf(socket);
    const open: Open = { socket, address, isSilent: true, isKept: false, isHeld: false };
    this.#all.set(name, open);
    this.#ofAddress.set(address, this.countOf(socket) + 1);
    socket.once("close", () => {
      this.#remove(name, open);
    });
  }

  /** False when none of this address gives way. */
  endOneOf({ remoteAddress = "" }: Socket): boolean {
    return this.#endFirst(this.#free().filter(({ address }) => address === remoteAddress));
  }

  /** False when none gives way. Of several addresses with as many that of the oldest loses one. */
  endOne(): boolean {
    return this.#endFirst(ofMostFrequent(this.#free()));
  }

  /** Ends one of those that wait for their answers and are not kept, when they are more than so many. */
  endWaiting(most: number): void {
    const waiting = [...this.#all.values()].filter(({ isKept, isHeld }) => isHeld && !isKept);
    if (waiting.length > most) this.#endFirst(ofMostFrequent(waiting));
  }

  /** Those that give way, the oldest first. */
  #free(): Open[] {
    return [...this.#all.values()].filter(({ isKept, isHeld }) => !isKept && !isHeld);
  }

  #endFirst(free: readonly Open[]): boolean {
    const first = free.find(({ isSilent }) => isSilent) ?? free[0];
    if (first === undefined) return false;
    this.#remove(nameOf(first.socket), first);
    first.socket.destroy();
    return true;
  }

  #remove(name: string, open: Open): void {
    // another one may have the name by now
    if (this.#all.get(name) !== open) return;
    this.#all.delete(name);
    const left = (this.#ofAddress.get(open.address) ?? 1) - 1;
    if (left === 0) this.#ofAddress.delete(open.address);
    else this.#ofAddress.set(open.address, left);
  }
}

/** Those of the address with the most. */
function ofMostFrequent(open: readonly Open[]): readonly Open[] {
  const byAddress = [...Map.groupBy(open, ({ address }) => address).values()];
  return byAddress.reduce<readonly Open[]>((most, one) => (one.length > most.length ? one : most), []);
}

function nameOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
