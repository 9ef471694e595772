import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { Suspicions } from "../../../core/merge/state/suspicions.ts";
import type { FoundDifference } from "../../../mechanisms/site/state/agreement.ts";
import type { EngineSite } from "../../../mechanisms/site/engine-site.ts";
import type { OtherKeys } from "../../../mechanisms/site/state/other-keys.ts";
import type { DifferingKey, SiteAgreement } from "../../../ports/management/link-control.ts";
import { differingKey } from "./differing-key.ts";

export interface ComparedKeysOptions {
  readonly local: EngineSite;
  /** Number of the other site. */
  readonly site: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Keys that are looked at together, and how often and after how long again while it is not known whether they differ. */
const AT_ONCE = 100;
const LOOKS = 5;
const AGAIN_MS = 500;
/** Keys that rest for so long are looked at, and of those that are being written so many that are small: they differ all the time. */
const REST_MS = 1_000;
const MOVING = 20;
/** Differing keys that are remembered, and those that are shown. */
const REMEMBERED = 1_000;
const SHOWN = 5;

/** Compares single keys with another site, and has those that differ. */
export class ComparedKeys {
  readonly #options: ComparedKeysOptions;
  readonly #suspicions = new Suspicions();
  readonly #differences = new Map<string, DifferingKey>();
  #found = 0;
  /** One comparison after the other: they share what they suspect. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ComparedKeysOptions) {
    this.#options = options;
  }

  /** How many differ, and some of them. */
  get differing(): Pick<SiteAgreement, "found" | "differing" | "differences"> {
    const all = [...this.#differences.values()];
    return { found: this.#found, differing: all.length, differences: all.slice(0, SHOWN) };
  }

  /** True while a key differs, or is to be looked at again. */
  get isSuspicious(): boolean {
    return this.#suspicions.keys.length + this.#differences.size > 0;
  }

  /** Compares the keys, and those that may differ. Rejects when the other site does not answer. */
  compare(other: OtherKeys, names: readonly string[]): Promise<void> {
    const turn = Promise.allSettled([this.#turn]).then(() => this.#compare(other, names));
    this.#turn = turn;
    return turn;
  }

  /** All keys were found to be the same. */
  areSame(): void {
    this.#differences.clear();
    this.#suspicions.clear();
    this.#note();
  }

  async #compare(other: OtherKeys, names: readonly string[]): Promise<void> {
    const { clock, local, signal } = this.#options;
    const differing = await this.#differing(other, names);
    if (differing.size > 0) await clock.sleep(REST_MS, signal);
    const again = await this.#differing(other, [...differing.keys()]);
    const moves = ([key, digests]: readonly [string, string]): boolean => differing.get(key) !== digests;
    const resting = [...again].flatMap((each) => (moves(each) ? [] : each[0]));
    const moving = [...again].filter(moves).map(([key]) => key);
    const small = await local.agreement.walk.small(moving.slice(0, MOVING));
    const suspects = [...resting, ...small, ...this.#suspicions.keys, ...this.#differences.keys()];
    await this.#lookAt(other, [...new Set(suspects)]);
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

  /** While a key differs, the other site does not count as one that holds what was written here. */
  #note(): void {
    const { local, site } = this.#options;
    if (this.#differences.size > 0) local.agreement.differing.add(site);
    else local.agreement.differing.delete(site);
  }
}
