import type { EngineCommand } from "./engine-writes.ts";
import { MergedState } from "./merged-state.ts";
import type { Effect, Operation } from "./operation.ts";
import { BEGINNING, laterOf, nextTimestamp, type Timestamp } from "./timestamp.ts";
import { covers, coversAll, including, lowest, type VersionVector } from "./version-vector.ts";

/** A transaction for the engine of a site. Its mark comes back in the stream of the engine. */
export interface Apply {
  readonly mark: string;
  readonly commands: readonly EngineCommand[];
}

/** One site of an Active-Active database: takes what its engine did and what other sites send, in any order that may come. */
export class Site {
  readonly id: number;
  readonly #sites: readonly number[];
  readonly #state = new MergedState();
  /** What the engine has applied. */
  #seen: VersionVector = {};
  /** What was received, whether or not the engine has applied it. */
  #received: VersionVector = {};
  #clock: Timestamp = BEGINNING;
  #early: readonly Operation[] = [];
  readonly #pending = new Map<string, Pending>();
  readonly #waiting = new Map<string, { applies: number; raced: boolean }>();
  readonly #seenBy: Map<number, VersionVector>;
  #repairs = 0;
  /** It has applied something since it last said what it has seen. */
  #hasUnsaid = false;

  constructor(id: number, sites: readonly number[]) {
    this.id = id;
    this.#sites = sites;
    this.#seenBy = new Map(sites.map((site) => [site, {}]));
  }

  /** What the engine did for a client: the operation for the other sites. Without effects it only says what this site has seen. */
  captured(effects: readonly Effect[], now: number): Operation {
    this.#clock = nextTimestamp(this.#clock, now, this.id);
    const dot = { site: this.id, seq: (this.#received[this.id] ?? 0) + 1 };
    const operation = { dot, at: this.#clock, seen: this.#seen, effects };
    this.#received = including(this.#received, dot);
    this.#seen = including(this.#seen, dot);
    this.#seenBy.set(this.id, this.#seen);
    this.#hasUnsaid = false;
    this.#state.take(operation);
    for (const { key } of effects) {
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) waiting.raced = true;
    }
    return operation;
  }

  /** What another site has done; an operation that comes before what it follows is kept, one that is known is ignored. */
  received(operation: Operation): readonly Apply[] {
    this.#early = [...this.#early, operation];
    const applies: Apply[] = [];
    for (let next = this.#takeReady(); next !== undefined; next = this.#takeReady()) {
      const apply = this.#take(next);
      if (apply !== undefined) applies.push(apply);
    }
    return applies;
  }

  /** The mark of an `Apply` came by in the stream of the engine; the answer corrects what clients wrote meanwhile. */
  applied(mark: string): readonly Apply[] {
    const pending = this.#pending.get(mark);
    if (pending === undefined) return [];
    this.#pending.delete(mark);
    if (pending.operation !== undefined) this.#see(pending.operation);
    return pending.keys.flatMap((key) => this.#settled(key));
  }

  /** True when the other sites have to be told what this one has applied. */
  get hasUnsaid(): boolean {
    return this.#hasUnsaid;
  }

  /** What every site is known to have applied. */
  agreed(): VersionVector {
    return lowest([...this.#seenBy.values()], this.#sites);
  }

  /** Forgets what every site has applied. */
  forgetAgreed(): void {
    this.#state.forget(this.agreed(), (key) => this.#waiting.has(key));
  }

  /** Keys of which more is known than what was agreed on. */
  get knownKeys(): number {
    return this.#state.size;
  }

  #takeReady(): Operation | undefined {
    this.#early = this.#early.filter(({ dot }) => !covers(this.#received, dot));
    return this.#early.find(
      ({ dot, seen }) => dot.seq === (this.#received[dot.site] ?? 0) + 1 && coversAll(this.#received, seen),
    );
  }

  #see({ dot, seen, effects }: Operation): void {
    this.#seen = including(this.#seen, dot);
    this.#seenBy.set(dot.site, including(seen, dot));
    this.#seenBy.set(this.id, this.#seen);
    if (effects.length > 0) this.#hasUnsaid = true;
  }

  /** Undefined when there is nothing for the engine to do, and nothing of that site before it. */
  #take(operation: Operation): Apply | undefined {
    this.#received = including(this.#received, operation.dot);
    this.#clock = laterOf(this.#clock, operation.at);
    const isOnItsWay = [...this.#pending.values()].some(
      (pending) => pending.operation?.dot.site === operation.dot.site,
    );
    if (operation.effects.length === 0 && !isOnItsWay) {
      this.#see(operation);
      return undefined;
    }
    const writes = this.#state.apply(operation);
    const keys = [...writes.keys()];
    return this.#apply(`${operation.dot.site}:${operation.dot.seq}`, { operation, keys }, [...writes.values()].flat());
  }

  #apply(mark: string, pending: Pending, commands: readonly EngineCommand[]): Apply {
    this.#pending.set(mark, pending);
    for (const key of pending.keys) {
      const waiting = this.#waiting.get(key) ?? { applies: 0, raced: false };
      waiting.applies += 1;
      this.#waiting.set(key, waiting);
    }
    return { mark, commands };
  }

  #settled(key: string): readonly Apply[] {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return [];
    waiting.applies -= 1;
    if (waiting.applies > 0) return [];
    this.#waiting.delete(key);
    if (!waiting.raced) return [];
    this.#repairs += 1;
    const pending = { operation: undefined, keys: [key] };
    return [this.#apply(`repair:${this.#repairs}`, pending, this.#state.repair(key))];
  }
}

interface Pending {
  /** Undefined of a repair. */
  readonly operation: Operation | undefined;
  readonly keys: readonly string[];
}
