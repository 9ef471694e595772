import { condensedEffects } from "../state/condensed-effects.ts";
import { withoutKeptTimes } from "../state/kept-times.ts";
import { siteOf } from "../operations/origin.ts";
import type { SavedSite } from "./saved-site.ts";
import { effectsCodec, type CodedOperation, type EncodedOperation } from "../operations/operation-codec.ts";
import { encodeValue } from "../operations/codec.ts";
import { readOneByteText } from "../operations/one-byte-text.ts";
import type { Effect } from "../operations/operation.ts";
import { covers, withDot, type Dot, type VersionVector } from "../operations/version-vector.ts";

/** What a site has of another one, and what of it has come too early to be taken: that one may have lost it. */
export function operationsOf(
  site: number,
  { kept, early }: Pick<SavedSite, "kept" | "early">,
): readonly EncodedOperation[] {
  return [...kept, ...early].filter(({ dot }) => siteOf(dot.origin) === site);
}

/**
 * Operations of a site that others have, and that its own disk has lost: while the site reads once more what that disk has kept, it finds which of
 * them are of writes that are there. Those are taken as captured then, under the number that they have; the rest is lost here, and comes back.
 */
export class RegainedOperations {
  /** In the order in which the site had captured them. */
  readonly #all: readonly CodedOperation[];
  #next = 0;
  readonly #taken = new Set<CodedOperation>();
  /** Keys of which the site has not looked again at what it holds. */
  readonly #keys: Set<string>;

  /** `operations`: those of the site that others keep; `received`: what it has itself. Those behind a gap are left out. */
  constructor(site: number, operations: readonly CodedOperation[], received: VersionVector) {
    const own = operations.filter(({ dot }) => siteOf(dot.origin) === site);
    const ordered = own.toSorted((a, b) => a.dot.origin - b.dot.origin || a.dot.seq - b.dot.seq);
    const missing: CodedOperation[] = [];
    let has = received;
    for (const operation of ordered) {
      const { origin, seq } = operation.dot;
      if (covers(has, operation.dot) || (seq > 1 && !covers(has, { origin, seq: seq - 1 }))) continue;
      has = withDot(has, operation.dot);
      missing.push(operation);
    }
    this.#all = missing;
    this.#keys = new Set(missing.flatMap(({ effects }) => effects.flatMap((effect) => keyOf(effect) ?? [])));
  }

  /**
   * What a client did is read once more: the operations up to the one that says so, which were captured before; undefined when none does. Those of an
   * earlier incarnation are not among them: what was found of that comes before, and the rest it had lost. `read`: keys of it that have to be
   * read first, of which the operation may know more.
   */
  upTo(effects: readonly Effect[], read: readonly string[]): readonly CodedOperation[] | undefined {
    const wanted = textOf(effects, read);
    if (wanted === undefined) return undefined;
    const at = this.#all.findIndex((each, index) => index >= this.#next && textOf(each.effects, read) === wanted);
    if (at < 0) return undefined;
    const found = this.#all.slice(this.#next, at + 1);
    this.#next = at + 1;
    const taken = found.filter(({ dot }) => dot.origin === found.at(-1)?.dot.origin);
    for (const operation of taken) this.#taken.add(operation);
    return taken;
  }

  /** It is one of them. */
  has({ origin, seq }: Dot): boolean {
    return this.#all.some(({ dot }) => dot.origin === origin && dot.seq === seq);
  }

  /** Those of which the disk shows nothing. */
  get lost(): readonly CodedOperation[] {
    return this.#all.filter((operation) => !this.#taken.has(operation));
  }

  /** Not each of them is applied, by what the engine has `seen`. */
  isUnderWay(seen: VersionVector): boolean {
    return this.lost.some(({ dot }) => !covers(seen, dot));
  }

  /** One of them that is not applied changes the key. */
  isAwaited(key: string, seen: VersionVector): boolean {
    const changes = (effect: Effect): boolean => effect.kind === "flush" || effect.key === key;
    return this.lost.some(({ dot, effects }) => !covers(seen, dot) && effects.some(changes));
  }

  /** One of them has changed the key, which was not taken since. */
  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** What the key holds is known from now on. */
  takeKey(key: string): void {
    this.#keys.delete(key);
  }
}

/** It goes nowhere. */
const FORMAT = 1;

function keyOf(effect: Effect): string | undefined {
  return effect.kind === "flush" ? undefined : effect.key;
}

/** The same for the same effects on other keys; undefined without any. */
function textOf(effects: readonly Effect[], without: readonly string[]): string | undefined {
  const others = effects.filter((effect) => effect.kind === "flush" || !without.includes(effect.key));
  if (others.length === 0) return undefined;
  const bytes = encodeValue(effectsCodec, FORMAT, withoutKeptTimes(condensedEffects(others)));
  return readOneByteText(bytes, 0, bytes.length);
}
