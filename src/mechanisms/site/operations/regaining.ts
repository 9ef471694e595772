import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { Apply } from "../../../core/merge/saved/pending-applies.ts";
import { isAsKnown } from "../../../core/merge/state/as-known.ts";
import type { RegainedOperations } from "../../../core/merge/saved/regained-operations.ts";
import type { Site } from "../../../core/merge/site.ts";
import type { Capture } from "./capture.ts";

export interface RegainingOptions {
  readonly site: Site;
  readonly regained: RegainedOperations;
  /** So much of the stream was on the disk when the engine began, counted as `Place.written` is; 0 where no file is read. */
  readonly keptUntil: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * How long a read waits for what the disk has lost, from when that was given to the engine, in milliseconds. It may follow operations of a site that is
 * away. What is read then is captured as it is, and takes the place of what comes back later.
 */
const PATIENCE_MS = 10_000;

/** Tells what a site reads once more, after its disk has lost something, from what is new. */
export class Regaining {
  readonly #options: RegainingOptions;
  #lateAt = Infinity;
  #wasLate = false;

  constructor(options: RegainingOptions) {
    this.#options = options;
  }

  /** The operations that say what clients did there in the stream, which the site has taken as its own; undefined when that is new. */
  take(effects: readonly Effect[], read: readonly string[], written: number): readonly CodedOperation[] | undefined {
    const { site, regained, keptUntil } = this.#options;
    const known = written <= keptUntil ? regained.upTo(effects, read) : undefined;
    for (const operation of known ?? []) site.regained(operation);
    return known;
  }

  /**
   * What of a read is new; undefined while something comes back that may change the key: then the read would take its place, which it may when clients
   * have changed the key since the engine began, the last time before `latest`.
   */
  newIn(key: string, effects: readonly Effect[], latest: number): readonly Effect[] | undefined {
    const { site, regained, keptUntil } = this.#options;
    if (latest > keptUntil) {
      regained.takeKey(key);
      return effects;
    }
    if (regained.isAwaited(key, site.seen) && !this.#isLate()) return undefined;
    if (!regained.hasKey(key)) return effects;
    const known = site.keys.compared(key, []);
    if (known === undefined && !this.#isLate()) return undefined;
    regained.takeKey(key);
    return known !== undefined && isAsKnown(known, effects) ? [] : effects;
  }

  /** What the disk has lost, to be written by the engine. */
  lost(): readonly Apply[] {
    const { site, regained, clock } = this.#options;
    this.#lateAt = clock.uptimeMs() + PATIENCE_MS;
    return regained.lost.flatMap((operation) => site.receive(operation, operation.dot.origin) ?? []); // else it comes again
  }

  /** Resolves when what clients have changed since the engine began is captured: then it is not written over by what is lost. */
  whenNewIsCaptured(capture: Pick<Capture, "readSince">): Promise<void> {
    return capture.readSince(this.#options.keptUntil);
  }

  /** Not all of that is back: a link that begins now asks the others again. */
  get isUnderWay(): boolean {
    return this.#options.regained.isUnderWay(this.#options.site.seen);
  }

  #isLate(): boolean {
    const { clock, log } = this.#options;
    if (clock.uptimeMs() < this.#lateAt) return false;
    if (!this.#wasLate)
      log.warn("what the disk has lost is not back in time: keys that it changes are read as they are");
    this.#wasLate = true;
    return true;
  }
}
