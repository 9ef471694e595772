import { viewBefore, viewOfAll } from "./engine-view.ts";
import { isRewritten, keyWrites, partWrites, valuesOf, writesBetween, type EngineCommand } from "./engine-writes.ts";
import { allKeys, partOf, type KeyPart, type RacedKey } from "../operations/key-part.ts";
import { keepUnagreedKey } from "./key-agreement.ts";
import { entries } from "./key-view.ts";
import { joinKey } from "./key-join.ts";
import { applyEffect, newKey, type KeyState, type KnownKey } from "./key-state.ts";
import { byKey, type KeyEffect, type Operation } from "../operations/operation.ts";
import { siteOf } from "../operations/origin.ts";
import type { KnownKeys } from "./known-keys.ts";
import { UnagreedEffects } from "./unagreed-effects.ts";
import {
  covers,
  coversAll,
  withDot,
  isNothing,
  pairsOf,
  union,
  without,
  type VersionVector,
} from "../operations/version-vector.ts";

/** What is known of the keys that were written since all sites agreed on them. Equal after the same operations in any causal order. */
export class MergedState {
  readonly #keys: Map<string, KeyState>;
  #unagreed: UnagreedEffects;
  /** The operations that removed all keys: until all sites have applied them, nothing that was agreed on counts in any key. */
  #flushes: VersionVector;

  constructor(keys: readonly KnownKey[], flushes: VersionVector) {
    this.#keys = new Map(keys.map(({ key, state }) => [key, state]));
    this.#unagreed = new UnagreedEffects(keys);
    this.#flushes = flushes;
  }

  /** All that is known; it changes with the next operation. */
  all(): readonly KnownKey[] {
    return [...this.#keys].map(([key, state]) => ({ key, state }));
  }

  get flushes(): VersionVector {
    return this.#flushes;
  }

  /** Takes an operation in. */
  take(operation: Operation): void {
    const done = this.#keysWith(operation);
    this.#unagreed.add(operation);
    for (const effect of operation.effects)
      if (effect.kind === "flush") this.#flush(operation, done);
      else if (!done.has(effect.key)) applyEffect(this.#known(effect.key), effect, operation);
  }

  /** Takes an operation in; the answer is what brings the engine from the state before to the one after. */
  apply(operation: Operation): Applied {
    if (operation.effects.some(({ kind }) => kind === "flush")) {
      this.take(operation);
      const commands = [["FLUSHDB"], ...this.all().flatMap(({ key, state }) => valuesOf(key, state))];
      return { commands, parts: allKeys(operation.effects) };
    }
    const done = this.#keysWith(operation);
    const parts = new Map<string, KeyPart>();
    this.#unagreed.add(operation);
    const commands = byKey(operation.effects).flatMap(([key, effects]) => {
      if (done.has(key)) {
        parts.set(key, "all");
        return [];
      }
      const state = this.#known(key);
      const before = viewBefore(state, effects, operation.at);
      for (const effect of effects) applyEffect(state, effect, operation);
      parts.set(key, isRewritten(before, state) ? "all" : partOf(effects));
      return writesBetween(key, before, state);
    });
    return { commands, parts };
  }

  /**
   * Takes in what another site knows, of a site that has received only that; the answer is what brings the engine from the state
   * before to the one after. One that removes keys which it does not name has to be whole.
   */
  join(summary: KnownKeys, received: VersionVector): readonly EngineCommand[] {
    const isFlushed = this.isFlushedBy(summary, received);
    if (isFlushed) this.#joinFlush(summary, received);
    const writes = summary.keys.flatMap(({ key, state }) => {
      const own = this.#known(key);
      const before = viewOfAll(own, state);
      joinKey(own, state, { own: received, other: summary.received });
      return writesBetween(key, before, own);
    });
    this.#flushes = union(this.#flushes, without(summary.flushes, received));
    this.#unagreed = new UnagreedEffects(this.all());
    return isFlushed ? [["FLUSHDB"], ...this.all().flatMap(({ key, state }) => valuesOf(key, state))] : writes;
  }

  /** True when the summary says of keys that they were removed and does not name them, for a site that has received only that. */
  isFlushedBy({ flushes }: Pick<KnownKeys, "flushes">, received: VersionVector): boolean {
    return !coversAll(received, flushes);
  }

  #joinFlush(summary: KnownKeys, received: VersionVector): void {
    const named = new Set(summary.keys.map(({ key }) => key));
    for (const [key, own] of this.#keys)
      if (!named.has(key)) joinKey(own, newKey(summary.flushes), { own: received, other: summary.received });
  }

  /** The commands that write a part of the key as it is known, or all of it where the part cannot be told apart. */
  repair(key: string, wanted: KeyPart): { readonly commands: readonly EngineCommand[]; readonly part: KeyPart } {
    const state = this.known(key);
    const some = wanted === "all" ? undefined : partWrites(key, state, wanted);
    return some === undefined ? { commands: keyWrites(key, state), part: "all" } : { commands: some, part: wanted };
  }

  /** Names of the keys that a site that has only `received` does not know completely. */
  keysFor(received: VersionVector): readonly string[] {
    return [...this.#keys].flatMap(([key, { touched }]) => (coversAll(received, touched) ? [] : key));
  }

  /** The part of each key that an operation writes, after it was taken in. */
  partsOf({ effects }: Operation): Map<string, KeyPart> {
    if (effects.some(({ kind }) => kind === "flush")) return allKeys(effects);
    // another type before or after it: all was written
    const isAll = (key: string): boolean => entries(this.known(key).latest).length > 1;
    return new Map(byKey(effects).map(([key, of]) => [key, isAll(key) ? "all" : partOf(of)]));
  }

  /** The parts of keys that sites other than `site` have written, too. */
  touchedBeside(site: number): readonly RacedKey[] {
    const isOther = (touched: VersionVector): boolean => pairsOf(touched).some(([origin]) => siteOf(origin) !== site);
    return [...this.#keys].flatMap(([key, { touched, clears, latest, cells }]) => {
      if (!isOther(touched)) return [];
      const isOfOthers = entries(cells).some(([, elements]) => elements.values().some((cell) => isOther(cell.touched)));
      // what this site alone has written is in its engine; a removal of the key leaves nothing to tell by
      const isAll = isOfOthers || !isNothing(clears) || entries(latest).length > 1;
      return { key, part: isAll ? "all" : { elements: [], hasExpiry: true } };
    });
  }

  stateOf(key: string): KeyState | undefined {
    return this.#keys.get(key);
  }

  /** The state of the key; for a key without one, that of a new key. */
  known(key: string): KeyState {
    return this.#keys.get(key) ?? newKey(this.#flushes);
  }

  /** Keys of which more is known than what was agreed on. */
  get size(): number {
    return this.#keys.size;
  }

  /** Forgets what every site has applied, but nothing of the keys that are `busy`. */
  forget(agreed: VersionVector, isBusy: (key: string) => boolean): void {
    const touched = this.#unagreed.take(agreed);
    const flushes = without(this.#flushes, agreed);
    const isFlushAgreed = !coversAll(flushes, this.#flushes);
    this.#flushes = flushes;
    for (const [key, effects] of touched) this.#forgetKey(key, effects, agreed, isBusy);
    if (isFlushAgreed)
      for (const key of this.#keys.keys()) this.#forgetKey(key, [{ kind: "clear", key }], agreed, isBusy);
  }

  #forgetKey(key: string, effects: Iterable<KeyEffect>, agreed: VersionVector, isBusy: (key: string) => boolean): void {
    const state = this.#keys.get(key);
    if (state === undefined) return;
    if (isBusy(key)) this.#unagreed.postpone(effects, agreed);
    else if (!keepUnagreedKey(state, effects, agreed)) this.#keys.delete(key);
  }

  #flush(operation: Operation, done: ReadonlySet<string>): void {
    this.#flushes = withDot(this.#flushes, operation.dot);
    for (const [key, state] of this.#keys) if (!done.has(key)) applyEffect(state, { kind: "clear", key }, operation);
  }

  /** Keys that were transferred from a site that had taken the operation in. */
  #keysWith({ dot, effects }: Operation): ReadonlySet<string> {
    let done: Set<string> | undefined;
    const look = (key: string): void => {
      const state = this.#keys.get(key);
      if (state !== undefined && covers(state.touched, dot)) done = (done ?? new Set()).add(key);
    };
    for (const effect of effects)
      if (effect.kind === "flush") for (const key of this.#keys.keys()) look(key);
      else look(effect.key);
    return done ?? NONE;
  }

  #known(key: string): KeyState {
    const known = this.known(key);
    this.#keys.set(key, known);
    return known;
  }
}

/** What an operation writes, and which part of each key that is. */
export interface Applied {
  readonly commands: readonly EngineCommand[];
  readonly parts: Map<string, KeyPart>;
}

const NONE: ReadonlySet<string> = new Set();
