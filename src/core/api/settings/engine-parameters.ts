import { z } from "zod";
import type { Directives } from "./setting.ts";

/** A parameter of engines that a database may set: its default, what it may be, and what it is for. */
interface EngineParameter {
  readonly fallback: string;
  readonly pattern: RegExp;
  readonly use: string;
}

const COUNT = /^(0|[1-9][0-9]{0,8})$/;
const LIMIT = /^-?[0-9]{1,9}$/;

/** All have the same default in each engine; what harms other databases of a node, or moves of a primary, is not among them. */
const PARAMETERS: Readonly<Record<string, EngineParameter>> = {
  "notify-keyspace-events": {
    fallback: "",
    pattern: /^[KEg$lshzxeAtdmn]*$/,
    use: "Events of keys that are published.",
  },
  "slowlog-log-slower-than": { fallback: "10000", pattern: LIMIT, use: "Microseconds; -1 for no slow log." },
  "slowlog-max-len": { fallback: "128", pattern: /^(0|[1-9][0-9]{0,4})$/, use: "Entries of the slow log." },
  "latency-monitor-threshold": { fallback: "0", pattern: COUNT, use: "Milliseconds; 0 for no latency monitor." },
  "lua-time-limit": {
    fallback: "5000",
    pattern: COUNT,
    use: "Milliseconds that a script may run until others get the answer BUSY; 0 for no answer BUSY. Endpoints apply it.",
  },
  "hash-max-listpack-entries": { fallback: "512", pattern: COUNT, use: "Fields of a hash that is kept compact." },
  "hash-max-listpack-value": { fallback: "64", pattern: COUNT, use: "Bytes of a field in a compact hash." },
  "list-max-listpack-size": { fallback: "-2", pattern: LIMIT, use: "Size of the nodes of a list." },
  "list-compress-depth": { fallback: "0", pattern: COUNT, use: "Nodes at the ends of a list that are not compressed." },
  "set-max-intset-entries": {
    fallback: "512",
    pattern: COUNT,
    use: "Members of a set of integers that is kept compact.",
  },
  "zset-max-listpack-entries": {
    fallback: "128",
    pattern: COUNT,
    use: "Members of a sorted set that is kept compact.",
  },
  "zset-max-listpack-value": { fallback: "64", pattern: COUNT, use: "Bytes of a member in a compact sorted set." },
  "hll-sparse-max-bytes": { fallback: "3000", pattern: /^(0|[1-9][0-9]{0,4})$/, use: "Bytes of a sparse HyperLogLog." },
  "stream-node-max-bytes": { fallback: "4096", pattern: COUNT, use: "Bytes of a node of a stream." },
  "stream-node-max-entries": { fallback: "100", pattern: COUNT, use: "Entries of a node of a stream." },
  "maxmemory-samples": {
    fallback: "5",
    pattern: /^([1-9]|[1-5][0-9]|6[0-4])$/,
    use: "Keys that eviction chooses from.",
  },
  "lfu-log-factor": { fallback: "10", pattern: /^(0|[1-9][0-9]{0,3})$/, use: "How slowly the counters of LFU grow." },
  "lfu-decay-time": {
    fallback: "1",
    pattern: /^(0|[1-9][0-9]{0,4})$/,
    use: "Minutes after which the counters of LFU fall.",
  },
};

/** The fields of `spec.engineParameters`. */
export const engineParametersField = z
  .object(
    Object.fromEntries(
      Object.entries(PARAMETERS).map(([name, { pattern, use, fallback }]) => [
        name,
        z.string().regex(pattern).optional().describe(`${use} Default: \`${fallback}\`.`),
      ]),
    ),
  )
  .default({})
  .describe("Parameters of the engines. Each primary has them, also after a change of primary; CONFIG GET shows them.");

/** The same as one text, as records and the management API have it: `name=value`, sorted, with blanks between. */
export const engineParametersText = z
  .string()
  .max(2_000)
  .refine((text) => parametersIn(text).every(isParameter), { error: "not `name=value` of parameters that can be set" });

/** The text of what a spec says; empty for nothing. */
export function parametersText(written: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(written)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");
}

/** The directive of each parameter: one that the text does not name has its default, so that it can be taken back. */
export function parameterDirectives(text: string): Directives {
  return Object.fromEntries([...valuesIn(text)].filter(([name]) => name !== SCRIPT_LIMIT));
}

/** How long a script may run until other clients get the answer BUSY, in milliseconds; 0 for as long as it likes. */
export function scriptLimitMs(text: string): number {
  return Number(valuesIn(text).get(SCRIPT_LIMIT));
}

/** Engines have one of their own, much lower, so that a script can be ended early; endpoints wait for the rest. */
const SCRIPT_LIMIT = "lua-time-limit";

function valuesIn(text: string): ReadonlyMap<string, string> {
  const defaults = Object.entries(PARAMETERS).map(([name, { fallback }]) => [name, fallback] as const);
  return new Map([...defaults, ...parametersIn(text)]);
}

function parametersIn(text: string): readonly (readonly [string, string])[] {
  const words = text.split(" ").filter((word) => word !== "");
  return words.map((word) => [word.split("=", 1)[0] ?? "", word.slice(word.indexOf("=") + 1)]);
}

function isParameter([name, value]: readonly [string, string]): boolean {
  return Object.hasOwn(PARAMETERS, name) && PARAMETERS[name]?.pattern.test(value) === true;
}
