import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { differingRanges, rangeOf, rangesFor } from "../../../core/merge/state/key-digests.ts";
import { Suspicions } from "../../../core/merge/state/suspicions.ts";
import type { FoundDifference } from "../../../mechanisms/site/state/agreement.ts";
import type { EngineSite } from "../../../mechanisms/site/engine-site.ts";
import type { OtherKeys } from "../../../mechanisms/site/state/other-keys.ts";
import type { DifferingKey, SiteAgreement } from "../../../ports/management/link-control.ts";
import { differingKey } from "./differing-key.ts";
import { RangeTurns } from "./range-turns.ts";

export interface ComparisonOptions {
  readonly local: EngineSite;
  /** Number of the other site. */
  readonly site: number;
  /** Connects to the other site to compare keys with it; rejects with a reason while it cannot be. */
  readonly connect: () => Promise<OtherKeys>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Names that are compared in one round, unless more of them are in one range. */
const NAMES = 1_024;
/** Keys that are looked at together, and how often and after how long again while it is not known whether they differ. */
const AT_ONCE = 100;
const LOOKS = 5;
const AGAIN_MS = 500;
/** Keys that rest for so long are looked at, and of those that are being written so many that are small: they differ all the time. */
const REST_MS = 1_000;
const MOVING = 20;
/** Behind a round in which nothing was seen to differ. */
const ROUND_MS = 5_000;
/** Differing keys that are remembered, and those that are shown. */
const REMEMBERED = 1_000;
const SHOWN = 5;

function rangesBut(some: ReadonlySet<number>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, range) => range).filter((range) => !some.has(range));
}

/** Compares all keys of the own site with those of another one, all the time. */
export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #suspicions = new Suspicions();
  readonly #differences = new Map<string, DifferingKey>();
  #agreedAt: string | undefined;
  #comparedAt: string | undefined;
  /** Undefined before the first round is over. */
  #cause: string | undefined;
  #found = 0;
  readonly #turns = new RangeTurns();
  /** Of ranges of which all else is the same: their times of expiry and large keys are not in the sums. */
  readonly #closeTurns = new RangeTurns();

  constructor(options: ComparisonOptions) {
    this.#options = options;
  }

  /** Until the signal. */
  async run(): Promise<void> {
    const { clock, local, log, signal } = this.#options;
    while (!signal.aborted) {
      await local.agreement.walk.ended();
      const cause = await this.#round().catch((error: unknown) => {
        if (!(error instanceof Fault) && !signal.aborted) throw error;
        return messageOf(error);
      });
      if (cause !== this.#cause && (cause ?? "") !== "" && !signal.aborted)
        log.info("keys are not compared with those of another site", { cause });
      this.#cause = cause;
      this.#note();
      // aborted: the loop looks at the signal
      await clock.sleep(this.#isSuspicious ? AGAIN_MS : ROUND_MS, signal).catch(() => undefined);
    }
  }

  /** While a key differs, the other site does not count as one that holds what was written here. */
  #note(): void {
    const { local, site } = this.#options;
    if (this.#differences.size > 0) local.agreement.differing.add(site);
    else local.agreement.differing.delete(site);
  }

  /** Undefined while it was never tried. */
  status(): SiteAgreement | undefined {
    if (this.#cause === undefined) return undefined;
    return {
      ...(this.#agreedAt === undefined ? {} : { agreedAt: this.#agreedAt }),
      ...(this.#comparedAt === undefined ? {} : { comparedAt: this.#comparedAt }),
      cause: this.#cause,
      found: this.#found,
      differing: this.#differences.size,
      differences: [...this.#differences.values()].slice(0, SHOWN),
    };
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
    const isSame = compared.size === 0 || (await this.#compare(compared, count));
    this.#comparedAt = at;
    if (!isSame || wanted.size < ranges.length) return "";
    this.#agreedAt = at;
    if (ranges.length > 0) return "";
    this.#differences.clear();
    this.#suspicions.clear();
    return "";
  }

  /** Compares the keys of some ranges; true when none differs. */
  async #compare(ranges: ReadonlySet<number>, count: number): Promise<boolean> {
    const { clock, local, signal } = this.#options;
    const names = await local.agreement.walk.gather((key) => ranges.has(rangeOf(key, count)));
    return this.#over(async (other) => {
      const differing = await this.#differing(other, names);
      if (differing.size > 0) await clock.sleep(REST_MS, signal);
      const again = await this.#differing(other, [...differing.keys()]);
      const moves = ([key, digests]: readonly [string, string]): boolean => differing.get(key) !== digests;
      const resting = [...again].flatMap((each) => (moves(each) ? [] : each[0]));
      const moving = [...again].filter(moves).map(([key]) => key);
      const small = await local.agreement.walk.small(moving.slice(0, MOVING));
      const suspects = [...resting, ...small, ...this.#suspicions.keys, ...this.#differences.keys()];
      await this.#lookAt(other, [...new Set(suspects)]);
      return !this.#isSuspicious;
    });
  }

  /** The keys of which the digests differ, with both. */
  async #differing(other: OtherKeys, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    const { walk } = this.#options.local.agreement;
    const [theirs, own] = await Promise.all([other.digests(names), walk.digests(names, other.areDigestsClose)]);
    const differing = new Map<string, string>();
    for (const [at, key] of names.entries()) {
      const [there, here] = [theirs, own].map((digests) => digests.slice(2 * at, 2 * at + 2).join(" "));
      if (there !== here) differing.set(key, `${there} ${here}`);
    }
    return differing;
  }

  get #isSuspicious(): boolean {
    return this.#suspicions.keys.length + this.#differences.size > 0;
  }

  async #lookAt(other: OtherKeys, suspects: readonly string[]): Promise<void> {
    const { clock, local, signal } = this.#options;
    for (let looks = 0, left = suspects; looks < LOOKS && left.length > 0; looks += 1) {
      if (looks > 0) await clock.sleep(AGAIN_MS, signal);
      for (let at = 0; at < left.length; at += AT_ONCE) {
        const keys = left.slice(at, at + AT_ONCE);
        const { found, same } = await local.agreement.look(other, keys, this.#suspicions);
        for (const key of same) this.#differences.delete(key);
        this.#take(found);
        this.#note();
      }
      left = this.#suspicions.keys;
    }
  }

  #take(found: readonly FoundDifference[]): void {
    const { clock, log } = this.#options;
    if (found.length === 0) return;
    this.#found += found.length;
    log.warn("keys differ from another site after the same operations, and are brought together", {
      keys: found.length,
    });
    const since = clock.now().toISOString();
    for (const each of found)
      if (this.#differences.has(each.key) || this.#differences.size < REMEMBERED)
        this.#differences.set(each.key, differingKey(each, this.#differences.get(each.key)?.since ?? since));
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
