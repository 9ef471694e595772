import type { Lease } from "../timing/lease.ts";
import type { Wire } from "./wire.ts";

/**
 * Between an engine's connection and whoever takes its replies: passes on while the lease holds. What arrives later is kept
 * until it holds again; when the connection ends before that, nobody is told what was kept: it may not be true any more.
 */
export class Gate {
  readonly #lease: Lease;
  readonly #wire: Wire;
  readonly #receive: (bytes: Buffer) => void;
  #kept: Buffer[] = [];

  constructor(lease: Lease, wire: Wire, receive: (bytes: Buffer) => void) {
    this.#lease = lease;
    this.#wire = wire;
    this.#receive = receive;
  }

  take(bytes: Buffer): void {
    if (this.#lease.holds()) this.#receive(bytes);
    else this.#keep(bytes);
  }

  /** The connection is gone. */
  drop(): void {
    this.#kept = [];
  }

  #keep(bytes: Buffer): void {
    if (this.#kept.length === 0)
      this.#lease.whenHeldAgain(() => {
        this.#passOn();
      });
    this.#kept.push(bytes);
    this.#wire.pause();
  }

  #passOn(): void {
    if (this.#kept.length === 0) return;
    this.#wire.resume();
    for (const bytes of this.#kept.splice(0)) this.#receive(bytes);
  }
}
