import type { Apply } from "../../../core/merge/saved/pending-applies.ts";
import type { Clock } from "#kit/base/clock";
import { comparedAt, type ComparedKey } from "../../../core/merge/state/compared-key.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import { healingEffects } from "../../../core/merge/state/healing-effects.ts";
import { differenceOf, type KeyDifference } from "../../../core/merge/state/key-difference.ts";
import type { Suspicions } from "../../../core/merge/state/suspicions.ts";
import { uncapturedEffects, type KeyAt } from "../../../core/merge/state/uncaptured-effects.ts";
import type { WrittenKeys } from "../../../core/merge/state/written-keys.ts";
import type { Capture } from "../operations/capture.ts";
import type { EngineWriter } from "../operations/engine-writer.ts";
import type { Finder } from "./find-uncaptured.ts";
import { eachKey } from "./give-keys.ts";
import { KeyWalk, type KeyWalkOptions } from "./key-walk.ts";
import type { OtherKeys } from "./other-keys.ts";

export interface AgreementOptions extends KeyWalkOptions {
  readonly clock: Clock;
  readonly finder: Finder;
  /** Follows the stream of the engine. */
  readonly capture: Pick<Capture, "written">;
  /** Writes again what is known of a key. */
  readonly writer: Pick<EngineWriter, "apply">;
}

/** A key that two sites hold differently although they have had the same operations. */
export interface FoundDifference {
  readonly key: string;
  readonly here: KeyAt;
  readonly there: KeyAt;
  readonly difference: KeyDifference;
}

/** The result of two looks at keys. */
export interface Looked {
  readonly found: readonly FoundDifference[];
  /** Keys that are the same. */
  readonly same: readonly string[];
}

/** Compares what the engine of a site holds with what others hold, and gives them what they lack. */
export class Agreement {
  /** Digests of all keys. */
  readonly walk: KeyWalk;
  /** Sites with a key that was found to differ, and that was not seen to be the same since. */
  readonly differing = new Set<number>();
  readonly #options: AgreementOptions;

  constructor(options: AgreementOptions) {
    this.#options = options;
    this.walk = new KeyWalk(options);
  }

  /** Keys that the stream of the engine shows as written, by whom ever. */
  get written(): WrittenKeys {
    return this.#options.capture.written;
  }

  /**
   * Looks at keys at both sites, and heals those that differ for the second time: the answer. The other site is asked first, and nothing is
   * forgotten here until both looks are over.
   */
  async look(other: OtherKeys, keys: readonly string[], suspicions: Suspicions): Promise<Looked> {
    const { finder, writer } = this.#options;
    const [found, same]: [FoundDifference[], string[]] = [[], []];
    const repairs: Apply[] = [];
    finder.site.forgetAgreed();
    using _comparing = finder.comparing.begin();
    const there = new Map((await other.look(keys)).map((each) => [each.key, each]));
    await eachKey(finder, keys, (key, effects) => {
      const differing = this.#compare({ key, effects }, there.get(key), suspicions);
      if (differing === "none") same.push(key);
      if (typeof differing === "string") return true;
      found.push(differing);
      for (const each of heal(finder, differing)) repairs.push(each);
      return true;
    });
    await writer.apply(repairs);
    return { found, same };
  }

  /** Undefined at one site: a client is writing the key as a whole, or something on it is under way. */
  #compare(
    { key, effects }: Read,
    other: ComparedKey | undefined,
    suspicions: Suspicions,
  ): FoundDifference | "none" | "unknown" {
    const { finder, clock } = this.#options;
    const own = finder.capture.isReading(key) ? undefined : finder.site.keys.compared(key, effects);
    const [here, there] = [own && comparedAt(own), other && comparedAt(other)];
    if (here === undefined || there === undefined) return "unknown";
    const difference = differenceOf(here, there, clock.now().getTime());
    if (difference === "none") suspicions.isSame(key);
    if (typeof difference === "string") return difference;
    const both = { here: here.received, there: there.received };
    return suspicions.isSeenAgain(key, both) ? { key, here, there, difference } : "unknown";
  }
}

/** A key that was read. */
interface Read {
  readonly key: string;
  readonly effects: readonly Effect[];
}

/** What is known decides where the engine holds something else; of all else, each site gives what the other one lacks. */
function heal({ site, onEffects }: Finder, { key, here, there, difference }: FoundDifference): readonly Apply[] {
  if (uncapturedEffects(key, here).length > 0) return [site.repair(key, "all")];
  const effects = healingEffects(key, here.held, there.held, difference);
  if (effects.length > 0) onEffects(effects);
  return [];
}
