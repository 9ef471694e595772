import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { differingRanges, rangeOf, rangesFor } from "../../../core/merge/state/key-digests.ts";
import type { EngineSite } from "../../../mechanisms/site/engine-site.ts";
import type { OtherKeys } from "../../../mechanisms/site/state/other-keys.ts";
import type { SiteAgreement } from "../../../ports/management/link-control.ts";
import { ComparedKeys } from "./compared-keys.ts";
import { RangeTurns } from "./range-turns.ts";

export interface ComparisonOptions {
  readonly local: EngineSite;
  /** Number of the other site. */
  readonly site: number;
  /** How many other sites there are. */
  readonly others: number;
  /** Connects to the other site to compare keys with it; rejects with a reason while it cannot be. */
  readonly connect: () => Promise<OtherKeys>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Names that are compared in one round, unless more of them are in one range. */
const NAMES = 1_024;
/** Behind a round in which nothing was seen to differ, and behind another one. */
const ROUND_MS = 5_000;
const AGAIN_MS = 500;
/** Keys that have rested for so long since they were written are compared, so often: of all other sites so many at once, and bytes of names. */
const WRITTEN_REST_MS = 1_000;
const WRITTEN_TURN_MS = 3_000;
const WRITTEN_NAMES = 3_072;
const WRITTEN_BYTES = 262_144;

function rangesBut(some: ReadonlySet<number>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, range) => range).filter((range) => !some.has(range));
}

/** Compares all keys of the own site with those of another one, all the time, and those that are written soon afterwards. */
export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #keys: ComparedKeys;
  #agreedAt: string | undefined;
  #comparedAt: string | undefined;
  /** Undefined before the first round is over. */
  #cause: string | undefined;
  readonly #turns = new RangeTurns();
  /** Of ranges of which all else is the same: their times of expiry and large keys are not in the sums. */
  readonly #closeTurns = new RangeTurns();
  /** The last write of a key that was compared for it. */
  #compared = 0;

  constructor(options: ComparisonOptions) {
    this.#options = options;
    this.#keys = new ComparedKeys(options);
  }

  /** Until the signal. */
  async run(): Promise<void> {
    await Promise.all([this.#compareAll(), this.#compareWritten()]);
  }

  /** Undefined while it was never tried. */
  status(): SiteAgreement | undefined {
    if (this.#cause === undefined) return undefined;
    return {
      ...(this.#agreedAt === undefined ? {} : { agreedAt: this.#agreedAt }),
      ...(this.#comparedAt === undefined ? {} : { comparedAt: this.#comparedAt }),
      cause: this.#cause,
      ...this.#keys.differing,
    };
  }

  async #compareAll(): Promise<void> {
    const { clock, local, log, signal } = this.#options;
    while (!signal.aborted) {
      await local.agreement.walk.ended();
      const cause = await this.#causeOf(() => this.#round());
      if (cause !== this.#cause && (cause ?? "") !== "" && !signal.aborted)
        log.info("keys are not compared with those of another site", { cause });
      this.#cause = cause;
      // aborted: the loop looks at the signal
      await clock.sleep(this.#keys.isSuspicious ? AGAIN_MS : ROUND_MS, signal).catch(() => undefined);
    }
  }

  /** What the stream shows as written is compared beside the rounds, which take long where there are many keys. */
  async #compareWritten(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      // aborted: the loop looks at the signal
      await clock.sleep(WRITTEN_TURN_MS, signal).catch(() => undefined);
      // why keys cannot be compared is said by the rounds
      if (this.#cause === "") await this.#causeOf(() => this.#turnOfWritten());
    }
  }

  /** What the comparison says, or why it could not be made. */
  async #causeOf(compare: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      return await compare();
    } catch (error) {
      if (!(error instanceof Fault) && !this.#options.signal.aborted) throw error;
      return messageOf(error);
    }
  }

  /** Why nothing could be compared; empty when it was, and as before while a site has not met all its keys. */
  async #round(): Promise<string | undefined> {
    const { clock, local } = this.#options;
    const { latest: own, refusal } = local.agreement.walk;
    if (own === undefined) return refusal === "" ? this.#cause : `The engine gives no digests: ${refusal}`;
    if (!local.isWhole) return "This site still looks for what its clients did before its stream began.";
    const at = clock.now().toISOString();
    const count = rangesFor(own.keys);
    const { sums: theirs, isClose } = await this.#over(async (other) => ({
      sums: await other.sums(count),
      isClose: other.areDigestsClose,
    }));
    if (theirs === undefined) return this.#cause;
    const ranges = differingRanges(own.sums(count), theirs);
    const most = Math.max(1, Math.floor((NAMES * count) / Math.max(1, own.keys)));
    const wanted = this.#turns.next(ranges, most);
    const close = isClose ? this.#closeTurns.next(rangesBut(wanted, count), most - wanted.size) : [];
    const compared = new Set([...wanted, ...close]);
    const isSame = compared.size === 0 || (await this.#compareRanges(compared, count));
    this.#comparedAt = at;
    if (!isSame || wanted.size < ranges.length) return "";
    this.#agreedAt = at;
    if (ranges.length === 0) this.#keys.areSame();
    return "";
  }

  /** Compares the keys of some ranges; true when none differs. */
  async #compareRanges(ranges: ReadonlySet<number>, count: number): Promise<boolean> {
    const names = await this.#options.local.agreement.walk.gather((key) => ranges.has(rangeOf(key, count)));
    await this.#over((other) => this.#keys.compare(other, names));
    return !this.#keys.isSuspicious;
  }

  /** Compares the small keys among those that were written. Those for which there is no time are compared in the rounds. */
  async #turnOfWritten(): Promise<string> {
    const { clock, local, others } = this.#options;
    const { walk, written } = local.agreement;
    const limit = { keys: Math.ceil(WRITTEN_NAMES / others), bytes: WRITTEN_BYTES };
    const { keys, last } = written.after(this.#compared, clock.uptimeMs() - WRITTEN_REST_MS, limit);
    const names = await walk.small(keys);
    if (names.length > 0 || this.#keys.isSuspicious) await this.#over((other) => this.#keys.compare(other, names));
    this.#compared = last;
    return "";
  }

  async #over<T>(use: (other: OtherKeys) => Promise<T>): Promise<T> {
    const { connect, signal } = this.#options;
    signal.throwIfAborted();
    const other = await connect();
    const end = (): void => other.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      return await use(other);
    } finally {
      signal.removeEventListener("abort", end);
      other.close();
    }
  }
}
