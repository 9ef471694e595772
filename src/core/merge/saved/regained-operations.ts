import { condensedEffects } from "../state/condensed-effects.ts";
import { withoutKeptTimes } from "../state/kept-times.ts";
import { ofSite, siteOf } from "../operations/origin.ts";
import type { SavedSite } from "./saved-site.ts";
import { effectsCodec, type CodedOperation, type EncodedOperation } from "../operations/operation-codec.ts";
import { encodeValue } from "../operations/codec.ts";
import { readOneByteText } from "../operations/one-byte-text.ts";
import type { Effect } from "../operations/operation.ts";
import { covers, pairsOf, withDot, type Dot, type VersionVector } from "../operations/version-vector.ts";

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
  /** The last incarnation that the site itself remembers: what it has read since was captured in this one. */
  readonly #last: number;
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
    this.#last = Math.max(
      0,
      ...[...pairsOf(ofSite(site, received))].flatMap(([origin, seq]) => (seq > 0 ? origin : [])),
    );
    this.#keys = new Set(missing.flatMap(({ effects }) => effects.flatMap((effect) => keyOf(effect) ?? [])));
  }

  /**
   * What a client did is read once more: the operations up to the one that says so, which were captured before; undefined when none does. Those of an
   * earlier incarnation are not among them: what was found of that comes before, and the rest it had lost. None is found behind an increment that the site has
   * captured once more in a later incarnation, when the others had not answered: that one counts twice everywhere, and so it has to come back here. `read`:
   * keys of it that have to be read first, of which the operation may know more.
   */
  upTo(effects: readonly Effect[], read: readonly string[]): readonly CodedOperation[] | undefined {
    const without = comparedWithout(effects, read);
    const wanted = textOf(effects, without);
    if (wanted === undefined) return undefined;
    const says = (each: CodedOperation): boolean => textOf(each.effects, without) === wanted;
    const at = this.#all.findIndex((each, index) => index >= this.#next && says(each) && this.#follows(each, index));
    if (at < 0) return undefined;
    const found = this.#all.slice(this.#next, at + 1);
    this.#next = at + 1;
    const taken = found.filter(({ dot }) => dot.origin === found.at(-1)?.dot.origin);
    for (const operation of taken) this.#taken.add(operation);
    return taken;
  }

  /** No increment lies before it of which the engine has none. */
  #follows({ dot }: CodedOperation, index: number): boolean {
    if (dot.origin >= this.#last) return true;
    const before = this.#all.slice(this.#next, index).filter((each) => each.dot.origin === dot.origin);
    return before.every(({ effects }) => effects.every(({ kind }) => kind !== "add"));
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

/** The keys that are not compared; but increments are, where there is nothing else. */
function comparedWithout(effects: readonly Effect[], read: readonly string[]): readonly string[] {
  const isRead = (effect: Effect): boolean => effect.kind !== "flush" && read.includes(effect.key);
  return effects.every(isRead) && effects.some(({ kind }) => kind === "add") ? [] : read;
}

/** The same for the same effects on other keys; undefined without any. */
function textOf(effects: readonly Effect[], without: readonly string[]): string | undefined {
  const others = effects.filter((effect) => effect.kind === "flush" || !without.includes(effect.key));
  if (others.length === 0) return undefined;
  const bytes = encodeValue(effectsCodec, FORMAT, withoutKeptTimes(condensedEffects(others)));
  return readOneByteText(bytes, 0, bytes.length);
}
