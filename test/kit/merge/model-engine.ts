import { RULES } from "./model-commands.ts";
import type { Held, ModelKeys } from "./model-keys.ts";
import type { KeyLook } from "../../../src/core/merge/state/lost-expiries.ts";
import type { Effect, Value } from "../../../src/core/merge/operations/operation.ts";

/** As much of a stock engine as the merge works on: types, expiry times, and a stream of effects. */
export class ModelEngine implements ModelKeys {
  readonly #keys = new Map<string, Held>();
  readonly #expires = new Map<string, number>();
  /** Keys whose time has come, and that nobody has asked for since. */
  readonly #lapsed = new Set<string>();
  /** How often each key has changed. */
  readonly #versions = new Map<string, number>();

  /** The same with nothing in common: what a disk keeps of it. */
  copy(): ModelEngine {
    const copy = new ModelEngine();
    for (const [key, held] of structuredClone(this.#keys)) copy.#keys.set(key, held);
    for (const [key, at] of this.#expires) copy.#expires.set(key, at);
    for (const key of this.#lapsed) copy.#lapsed.add(key);
    for (const [key, version] of this.#versions) copy.#versions.set(key, version);
    return copy;
  }

  /** True when it changed something, so that it goes into the stream; false also where an engine answers with an error. */
  run([name = "", key = "", ...args]: readonly string[]): boolean {
    const rule = RULES[name];
    if (rule === undefined) throw new Error(`the model has no ${name}`);
    const changed = rule(this, key, args);
    this.#dropEmpty(key);
    if (changed) for (const each of name === "FLUSHDB" ? this.#versions.keys() : [key]) this.#change(each);
    return changed;
  }

  /** The time of each key that has one, up to `latest`, has come: the engine removes it when it is asked for the next time. */
  lapse(latest = Infinity): void {
    for (const [key, at] of this.#expires) if (at <= latest) this.#lapsed.add(key);
  }

  /** What an engine does before a command on the key, as its stream has it. */
  expire(key: string): readonly (readonly string[])[] {
    if (!this.#lapsed.has(key) || !this.drop(key)) return [];
    this.#change(key);
    return [["UNLINK", key]];
  }

  /** What an engine with a full memory does to a key that has a time of expiry, as its stream has it. */
  evict(key: string): readonly (readonly string[])[] {
    if (!this.#expires.has(key) || !this.drop(key)) return [];
    this.#change(key);
    return [["DEL", key]];
  }

  /** Another number after each change of the key. */
  versionOf(key: string): number {
    return this.#versions.get(key) ?? 0;
  }

  #change(key: string): void {
    this.#versions.set(key, this.versionOf(key) + 1);
  }

  /** Keys whose time has come. */
  get lapsed(): readonly string[] {
    return [...this.#lapsed];
  }

  typeOf(key: string): Held["type"] | undefined {
    return this.#keys.get(key)?.type;
  }

  /** The value of a string or a list. */
  read(key: string): string | readonly string[] | undefined {
    const held = this.#keys.get(key);
    if (held?.type === "list") return [...held.value];
    return held?.type === "string" ? held.value : undefined;
  }

  get keys(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** What makes the key elsewhere what it is here. */
  effectsOf(key: string): readonly Effect[] {
    const clear: Effect = { kind: "clear", key };
    const held = this.#keys.get(key);
    if (held === undefined) return [clear];
    const at = this.#expires.get(key);
    const expiry: readonly Effect[] = at === undefined ? [] : [{ kind: "expire", key, at }];
    const puts = elementsOf(held).map(([element, value]): Effect => ({
      kind: "put",
      type: held.type,
      key,
      element,
      value,
    }));
    return [clear, ...puts, ...expiry];
  }

  /** The same of some members of a sorted set. */
  effectsOfScores(key: string, members: readonly string[]): readonly Effect[] {
    const held = this.#keys.get(key);
    if (held !== undefined && held.type !== "zset") return [];
    return members.map((element): Effect => {
      const value = held?.value.get(element);
      if (value === undefined) return { kind: "remove", type: "zset", key, element };
      return { kind: "put", type: "zset", key, element, value };
    });
  }

  /** What one can ask for beside its elements. */
  look(key: string): KeyLook {
    const held = this.#keys.get(key);
    if (held === undefined) return { until: -2, size: 0 };
    const size = held.type === "string" || held.type === "list" ? undefined : held.value.size;
    return { until: this.#expires.get(key) ?? -1, size };
  }

  /** Everything as text, in an order that does not depend on the order of writes. */
  digest(): string {
    const lines = [...this.#keys].map(
      ([key, held]) => `${key} ${held.type} ${shown(held)} ${this.#expires.get(key) ?? ""}`,
    );
    return lines.toSorted().join("\n");
  }

  /** What the key holds, as text; empty when it is not there. */
  shows(key: string): string {
    const held = this.#keys.get(key);
    return held === undefined ? "" : shown(held);
  }

  get(key: string): Held | undefined {
    return this.#keys.get(key);
  }

  put(key: string, held: Held): void {
    this.#keys.set(key, held);
  }

  /** True when there was one. */
  drop(key: string): boolean {
    this.#expires.delete(key);
    this.#lapsed.delete(key);
    return this.#keys.delete(key);
  }

  /** True when there was a key. */
  flush(): boolean {
    const hadKeys = this.#keys.size > 0;
    this.#keys.clear();
    this.#expires.clear();
    this.#lapsed.clear();
    return hadKeys;
  }

  setExpiry(key: string, at: number | undefined): boolean {
    if (!this.#keys.has(key)) return false;
    this.#lapsed.delete(key);
    if (at === undefined) return this.#expires.delete(key);
    this.#expires.set(key, at);
    return true;
  }

  #dropEmpty(key: string): void {
    const held = this.#keys.get(key);
    if (held === undefined || held.type === "string") return;
    const size = held.type === "list" ? held.value.length : held.value.size;
    if (size === 0) this.drop(key);
  }
}

function elementsOf(held: Held): readonly (readonly [string, Value])[] {
  switch (held.type) {
    case "string":
    case "list":
      return [["", typeof held.value === "string" ? held.value : [...held.value]]];
    case "set":
      return [...held.value].map((member) => [member, ""]);
    case "hash":
    case "zset":
      return [...held.value];
  }
}

function shown(held: Held): string {
  switch (held.type) {
    case "string":
      return held.value;
    case "list":
      return held.value.join(",");
    case "set":
      return [...held.value].toSorted().join(",");
    case "hash":
    case "zset":
      return [...held.value]
        .map(([member, value]) => `${member}=${value}`)
        .toSorted()
        .join(",");
  }
}
