import type { Lease } from "../timing/lease.ts";
import { keepLent } from "./lent-memory.ts";
import type { Wire } from "./wire.ts";

/**
 * Passes on what arrives from an engine while the lease holds. What arrives later is kept until the lease holds again.
 * It is dropped when the connection ends before that: the engine may not be primary any more.
 */
export class LeaseGate {
  readonly #lease: Lease;
  readonly #wire: Wire;
  readonly #receive: (bytes: Buffer) => void;
  #kept: Buffer[] = [];

  constructor(lease: Lease, wire: Wire, receive: (bytes: Buffer) => void) {
    this.#lease = lease;
    this.#wire = wire;
    this.#receive = receive;
  }

  /** Everything that was taken has been passed on. */
  get empty(): boolean {
    return this.#kept.length === 0;
  }

  take(bytes: Buffer): void {
    if (this.#lease.holds()) this.#receive(bytes);
    else this.#keep(bytes);
  }

  /** Forgets what is kept. */
  drop(): void {
    this.#kept = [];
  }

  #keep(bytes: Buffer): void {
    if (this.#kept.length === 0)
      this.#lease.whenRenewed(() => {
        this.#passOn();
      });
    this.#kept.push(keepLent(bytes));
    this.#wire.pause();
  }

  #passOn(): void {
    if (this.#kept.length === 0) return;
    this.#wire.resume();
    for (const bytes of this.#kept.splice(0)) this.#receive(bytes);
  }
}
