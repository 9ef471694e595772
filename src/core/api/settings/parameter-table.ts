import { byteSizes, EVENT_CLASSES, integers } from "./parameter-values.ts";
import type { ParameterValues } from "./parameter-values.ts";

/** A parameter of engines that a database may set: its default, what it may be, and what it is for. */
interface EngineParameter {
  readonly fallback: string;
  readonly values: ParameterValues;
  readonly use: string;
  /** Another name of it in every engine. */
  readonly alias?: string;
  /** The first version of engines that has it; absent: all have it. */
  readonly since?: string;
}

/** The limits of engines. */
const [LARGEST, LARGEST_OF_32_BITS] = [2n ** 63n - 1n, 2n ** 31n - 1n];
const UP_TO_18_DIGITS = /^(0|[1-9][0-9]{0,17})$/;
const UP_TO_9_DIGITS = /^(0|[1-9][0-9]{0,8})$/;
const COUNT = integers(UP_TO_18_DIGITS, 0n, LARGEST);
const COUNT_OF_32_BITS = integers(UP_TO_9_DIGITS, 0n, LARGEST_OF_32_BITS);
const BYTES = byteSizes(UP_TO_18_DIGITS, LARGEST);

/** All have the same default in each engine; what harms other databases of a node, or moves of a primary, is not among them. */
export const PARAMETERS: Readonly<Record<string, EngineParameter>> = {
  "notify-keyspace-events": { fallback: "", values: EVENT_CLASSES, use: "Events of keys that are published." },
  "slowlog-log-slower-than": {
    fallback: "10000",
    values: integers(/^(-1|0|[1-9][0-9]{0,17})$/, -1n, LARGEST),
    use: "Microseconds; -1 for no slow log.",
  },
  "slowlog-max-len": {
    fallback: "128",
    // the slow log takes memory of the node that no limit of the database counts
    values: integers(/^(0|[1-9][0-9]{0,4})$/, 0n, 99_999n),
    use: "Entries of the slow log.",
  },
  "latency-monitor-threshold": { fallback: "0", values: COUNT, use: "Milliseconds; 0 for no latency monitor." },
  "lua-time-limit": {
    fallback: "5000",
    values: integers(UP_TO_9_DIGITS, 0n, 999_999_999n),
    use: "Milliseconds that a script may run until others get the answer BUSY; 0 for no answer BUSY. Endpoints apply it.",
    alias: "busy-reply-threshold",
  },
  "hash-max-listpack-entries": {
    fallback: "512",
    values: COUNT,
    use: "Fields of a hash that is kept compact.",
    alias: "hash-max-ziplist-entries",
  },
  "hash-max-listpack-value": {
    fallback: "64",
    values: BYTES,
    use: "Bytes of a field in a compact hash.",
    alias: "hash-max-ziplist-value",
  },
  "list-max-listpack-size": {
    fallback: "-2",
    values: integers(/^(0|-?[1-9][0-9]{0,8})$/, -LARGEST_OF_32_BITS - 1n, LARGEST_OF_32_BITS),
    use: "Size of the nodes of a list.",
    alias: "list-max-ziplist-size",
  },
  "list-compress-depth": {
    fallback: "0",
    values: COUNT_OF_32_BITS,
    use: "Nodes at the ends of a list that are not compressed.",
  },
  "set-max-intset-entries": {
    fallback: "512",
    values: COUNT,
    use: "Members of a set of integers that is kept compact.",
  },
  "set-max-listpack-entries": {
    fallback: "128",
    values: COUNT,
    use: "Members of a set that is kept compact. An engine before 7.2 that stands in for 7.2 goes without it.",
    since: "7.2.0",
  },
  "set-max-listpack-value": {
    fallback: "64",
    values: BYTES,
    use: "Bytes of a member in a compact set. An engine before 7.2 that stands in for 7.2 goes without it.",
    since: "7.2.0",
  },
  "zset-max-listpack-entries": {
    fallback: "128",
    values: COUNT,
    use: "Members of a sorted set that is kept compact.",
    alias: "zset-max-ziplist-entries",
  },
  "zset-max-listpack-value": {
    fallback: "64",
    values: BYTES,
    use: "Bytes of a member in a compact sorted set.",
    alias: "zset-max-ziplist-value",
  },
  "hll-sparse-max-bytes": {
    fallback: "3000",
    values: BYTES,
    use: "Bytes of a sparse HyperLogLog.",
  },
  "stream-node-max-bytes": { fallback: "4096", values: BYTES, use: "Bytes of a node of a stream." },
  "stream-node-max-entries": { fallback: "100", values: COUNT, use: "Entries of a node of a stream." },
  "maxmemory-samples": {
    fallback: "5",
    values: integers(/^([1-9]|[1-5][0-9]|6[0-4])$/, 1n, 64n),
    use: "Keys that eviction chooses from.",
  },
  "lfu-log-factor": {
    fallback: "10",
    values: COUNT_OF_32_BITS,
    use: "How slowly the counters of LFU grow.",
  },
  "lfu-decay-time": {
    fallback: "1",
    values: COUNT_OF_32_BITS,
    use: "Minutes after which the counters of LFU fall.",
  },
};

/** A parameter with the name that specs and records have for it. */
export interface NamedParameter extends EngineParameter {
  readonly name: string;
}

/** A parameter by a name that engines know, in any case; undefined when no database may set it. */
export function parameterNamed(asked: string): NamedParameter | undefined {
  return NAMES.get(asked.toLowerCase());
}

const NAMES: ReadonlyMap<string, NamedParameter> = new Map(
  Object.entries(PARAMETERS).flatMap(([name, parameter]) =>
    [name, parameter.alias ?? name].map((known) => [known, { ...parameter, name }] as const),
  ),
);
