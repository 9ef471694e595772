import type { Socket } from "node:net";

/** How many connections a listener holds that have not said who they are. */
const MOST = 256;
/** From one address: other sites come from others. A site that has more to connect does so a moment later. */
const MOST_OF_ADDRESS = 64;

/** Connections that have not greeted yet, from when the kernel hands them over: a TLS handshake takes up to 100 KiB. */
export class Strangers {
  /** By address and port. */
  readonly #open = new Map<string, Socket>();
  readonly #ofAddress = new Map<string, number>();

  /** Ends one that is too many. */
  admit(socket: Socket): void {
    const { remoteAddress = "" } = socket;
    const ofAddress = this.#ofAddress.get(remoteAddress) ?? 0;
    if (this.#open.size >= MOST || ofAddress >= MOST_OF_ADDRESS) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    this.#open.set(peer, socket);
    this.#ofAddress.set(remoteAddress, ofAddress + 1);
    socket.once("close", () => {
      if (this.#open.get(peer) === socket) this.#forget(peer, remoteAddress);
    });
  }

  /** It has said who it is. */
  know(socket: Socket): void {
    const peer = peerOf(socket);
    if (this.#open.has(peer)) this.#forget(peer, socket.remoteAddress ?? "");
  }

  /** Ends all. */
  close(): void {
    for (const socket of [...this.#open.values()]) socket.destroy();
  }

  #forget(peer: string, address: string): void {
    this.#open.delete(peer);
    const left = (this.#ofAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, left);
  }
}

function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
