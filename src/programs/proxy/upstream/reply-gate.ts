import type { Lease } from "../timing/lease.ts";
import type { MemoryBudget, MemoryHolder } from "../limits/memory-budget.ts";
import { isOnlyRefusals, isWholeRefusal } from "../protocol/refusals.ts";
import { keepLent } from "./lent-memory.ts";
import type { ReplicaRounds, WaitingReplies } from "./replica-rounds.ts";
import type { Wire } from "./wire.ts";

/** What must allow a reply to be passed on, and where those that wait for it are counted. */
export interface ReplyPermits {
  readonly lease: Lease;
  readonly rounds: ReplicaRounds;
  readonly memory: MemoryBudget;
}

/** Where replies that may be passed on go. */
export interface ReplyReader {
  /** The next byte begins a reply. */
  readonly atBoundary: () => boolean;
  /** Nothing that arrives now is a reply. */
  readonly isMonitor: () => boolean;
  /** A reply may be the text of a script or a module. */
  readonly runsForeignCode: () => boolean;
  readonly receive: (bytes: Buffer) => void;
  /** What waits takes more memory than there is. */
  readonly overflows: () => void;
}

/**
 * Passes on what arrives from an engine once the replicas that must have it do, and while the lease holds. What has not been
 * passed on when the connection ends was never acknowledged, and is dropped.
 */
export class ReplyGate implements WaitingReplies, MemoryHolder {
  readonly relieve: () => void;
  readonly #rounds: ReplicaRounds;
  readonly #memory: MemoryBudget;
  readonly #wire: Wire;
  readonly #lease: LeaseGate;
  readonly #atBoundary: () => boolean;
  readonly #isMonitor: () => boolean;
  readonly #runsForeignCode: () => boolean;
  /** What has arrived since the running round began. */
  #arrived: Buffer[] = [];
  /** What had arrived before the running round began. */
  #inRound: Buffer[] = [];
  #bytes = 0;
  #paused = false;
  /** The connection has ended, as its owner had asked: called when nothing waits any more. */
  #emptied: (() => void) | undefined;

  constructor(permits: ReplyPermits, wire: Wire, reader: ReplyReader) {
    const { atBoundary, isMonitor, runsForeignCode, receive, overflows } = reader;
    const { lease, rounds, memory } = permits;
    this.relieve = overflows;
    this.#rounds = rounds;
    this.#memory = memory;
    this.#wire = wire;
    this.#atBoundary = atBoundary;
    this.#isMonitor = isMonitor;
    this.#runsForeignCode = runsForeignCode;
    this.#lease = new LeaseGate(lease, wire, receive);
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  take(bytes: Buffer): void {
    if (this.#bytes === 0 && (this.#rounds.open || this.#isMonitor() || this.#acknowledgesNothing([bytes]))) {
      this.#lease.take(bytes);
      return;
    }
    this.#arrived.push(keepLent(bytes));
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_KEPT_BYTES && !this.#paused) {
      this.#paused = true;
      this.#wire.pause();
    }
    this.#rounds.join(this);
    this.#memory.note(this);
  }

  /**
   * The engine has answered all, and has ended the connection because that was asked for: what waits passes all the same, if it is this engine
   * that says so. `emptied` is called when nothing waits any more. False when nothing waits, or nothing would pass.
   */
  outlive(emptied: () => void): boolean {
    if (this.#bytes === 0 || !this.#lease.empty || !this.#rounds.isConnected) return false;
    this.#emptied = emptied;
    return true;
  }

  /** Forgets what is kept. */
  drop(): void {
    this.#arrived = [];
    this.#inRound = [];
    this.#bytes = 0;
    this.#memory.forget(this);
    this.#rounds.leave(this);
    this.#lease.drop();
    this.#end();
  }

  begin(): void {
    for (const each of this.#arrived.splice(0)) this.#inRound.push(each);
  }

  pass(): void {
    for (const bytes of this.#inRound.splice(0)) {
      // the receiver may end the connection, and then nothing is left
      if (this.#bytes === 0) return;
      this.#bytes -= bytes.length;
      this.#memory.note(this);
      this.#lease.take(bytes);
    }
    if (this.#bytes === 0) this.#end();
    if (!this.#paused || this.#bytes > MOST_KEPT_BYTES) return;
    this.#paused = false;
    this.#wire.resume();
  }

  demoted(): void {
    this.begin();
    if (this.#acknowledgesNothing(this.#inRound)) this.pass();
    else if (this.#emptied === undefined) this.#wire.destroy();
    else this.drop();
  }

  interrupted(): void {
    if (this.#emptied !== undefined) this.drop();
  }

  #end(): void {
    const emptied = this.#emptied;
    this.#emptied = undefined;
    emptied?.();
  }

  /** A refusal is the reply to what was not executed, and shows nothing of what others wrote. */
  #acknowledgesNothing(chunks: readonly Buffer[]): boolean {
    if (!this.#lease.empty || !this.#atBoundary()) return false;
    const bytes = chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks);
    return this.#runsForeignCode() ? isWholeRefusal(bytes) : isOnlyRefusals(bytes);
  }
}

/**
 * Passes on what arrives from an engine while the lease holds. What arrives later is kept until the lease holds again.
 * It is dropped when the connection ends before that: the engine may not be primary any more.
 */
class LeaseGate {
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

const EMPTY = Buffer.alloc(0);
/** A connection that keeps more bytes is not read until these have passed. */
const MOST_KEPT_BYTES = 2 ** 20;
