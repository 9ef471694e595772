/**
 * INFO of a database of several shards, made of that of each: what counts clients, memory, requests and keys is added, what measures a longest
 * time or says that something goes on is the highest, and all else is that of the first shard.
 */
export function mergeInfo(texts: readonly string[]): string {
  const [first = [], ...others] = texts.map(sectionsIn);
  return first.map((section) => textOf(mergeSection(section, others.map(sectionNamed(section.name))))).join("\r\n");
}

interface Section {
  readonly name: string;
  /** By name, in their order. */
  readonly fields: ReadonlyMap<string, string>;
}

function sectionsIn(text: string): readonly Section[] {
  return text
    .split(/\r\n(?=# )/)
    .filter((part) => part.startsWith("# "))
    .map((part) => {
      const [head = "", ...lines] = part.split("\r\n");
      const fields = lines.filter((line) => line.includes(":")).map((line) => splitAt(line, ":"));
      return { name: head.slice("# ".length), fields: new Map(fields) };
    });
}

function sectionNamed(name: string): (sections: readonly Section[]) => Section | undefined {
  return (sections) => sections.find((section) => section.name === name);
}

function mergeSection({ name, fields }: Section, others: readonly (Section | undefined)[]): Section {
  if (!ADDED.has(name))
    return { name, fields: mergeFields(fields, others, (field) => (GOES_ON.has(field) ? "most" : "first")) };
  const merged = new Map(mergeFields(fields, others, howOf));
  for (const [field, value] of merged) {
    const bytes = merged.get(field.slice(0, -HUMAN.length));
    if (field.endsWith(HUMAN) && bytes !== undefined && value !== "") merged.set(field, inWords(Number(bytes)));
  }
  return { name, fields: merged };
}

type How = "sum" | "most" | "first";

function howOf(field: string): How {
  if (OF_MACHINE.test(field)) return "first";
  return MOST.test(field) ? "most" : "sum";
}

function mergeFields(
  first: ReadonlyMap<string, string>,
  others: readonly (Section | undefined)[],
  how: (field: string) => How,
): ReadonlyMap<string, string> {
  const all = [first, ...others.map((other) => other?.fields ?? NONE)];
  const names = new Set(all.flatMap((fields) => [...fields.keys()]));
  return new Map(
    [...names].sort(inOrder).map((field) => [
      field,
      mergeValues(
        all.flatMap((fields) => fields.get(field) ?? []),
        how(field),
      ),
    ]),
  );
}

/** The databases stand in their order; all else stays as it is. */
function inOrder(a: string, b: string): number {
  const [one, other] = [DATABASE.exec(a)?.[1], DATABASE.exec(b)?.[1]];
  return one === undefined || other === undefined ? 0 : Number(one) - Number(other);
}

/** A value may have several of its own: `keys=1,expires=0`. */
function mergeValues(values: readonly string[], how: How): string {
  const [first = ""] = values;
  if (how === "first") return first;
  if (PAIRS.test(first)) return mergePairs(values.map(pairsIn));
  if (!values.every((value) => NUMBER.test(value))) return first;
  return how === "most" ? most(values) : sum(values);
}

function mergePairs(all: readonly (readonly (readonly [string, string])[])[]): string {
  const names = new Set(all.flatMap((pairs) => pairs.map(([name]) => name)));
  const merged = [...names].map((name) => {
    const having = all.filter((pairs) => valueIn(pairs, name) !== undefined);
    const values = having.map((pairs) => valueIn(pairs, name) ?? "0");
    const counted = COUNTED_BY.get(name);
    if (counted === undefined) return `${name}=${sum(values)}`;
    return `${name}=${mean(
      values,
      having.map((pairs) => Number(valueIn(pairs, counted) ?? 0)),
    )}`;
  });
  return merged.join(",");
}

function valueIn(pairs: readonly (readonly [string, string])[], name: string): string | undefined {
  return pairs.find(([other]) => other === name)?.[1];
}

function pairsIn(value: string): readonly (readonly [string, string])[] {
  return value.split(",").map((pair) => splitAt(pair, "="));
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** With as many decimals as they have. */
function sum(values: readonly string[]): string {
  return total(values).toFixed(decimalsOf(values));
}

/** Each value counts as often as its shard says; none counts where all say 0. */
function mean(values: readonly string[], counts: readonly number[]): string {
  const count = counts.reduce((added, each) => added + each, 0);
  const whole = values.reduce((added, value, at) => added + Number(value) * (counts[at] ?? 0), 0);
  return (count === 0 ? 0 : whole / count).toFixed(decimalsOf(values));
}

function most(values: readonly string[]): string {
  return Math.max(...values.map(Number)).toFixed(decimalsOf(values));
}

function total(values: readonly string[]): number {
  return values.reduce((added, value) => added + Number(value), 0);
}

function decimalsOf([first = ""]: readonly string[]): number {
  return first.split(".")[1]?.length ?? 0;
}

/** As engines write it. */
function inWords(bytes: number): string {
  const at = [1024 ** 3, 1024 ** 2, 1024].findIndex((unit) => bytes >= unit);
  return at < 0 ? `${bytes}B` : `${(bytes / 1024 ** (3 - at)).toFixed(2)}${"GMK".charAt(at)}`;
}

function textOf({ name, fields }: Section): string {
  return [`# ${name}`, ...[...fields].map(([field, value]) => `${field}:${value}`), ""].join("\r\n");
}

const NONE: ReadonlyMap<string, string> = new Map();
const HUMAN = "_human";
const NUMBER = /^-?\d+(\.\d+)?$/;
const PAIRS = /^\w+=[\d.]+(,|$)/;
const DATABASE = /^db(\d+)$/;
/** Averages beside sums, and what they are averages of: the time to live of keys that expire, and the time of a call. */
const COUNTED_BY: ReadonlyMap<string, string> = new Map([
  ["avg_ttl", "expires"],
  ["usec_per_call", "calls"],
]);
/** Sections whose numbers are added. */
const ADDED: ReadonlySet<string> = new Set([
  "Clients",
  "Memory",
  "Stats",
  "CPU",
  "Keyspace",
  "Commandstats",
  "Errorstats",
]);
/** Not the database's, or the same at each shard. */
const OF_MACHINE = /^(total_system_memory|maxclients|.*_policy$|allocator_frag_ratio|cluster_connections)/;
/** A longest time, a share, or one of several that count alike. */
const MOST =
  /(_ratio|_max|_longest|_usec|_perc|_max_\w+_buffer|_recent_max\w*|_per_sec_peak)$|^(latest_fork|client_recent_max|instantaneous_eventloop)/;
/** Of other sections: while one shard does it, the database does. */
const GOES_ON: ReadonlySet<string> = new Set([
  "loading",
  "async_loading",
  "rdb_bgsave_in_progress",
  "aof_rewrite_in_progress",
]);
