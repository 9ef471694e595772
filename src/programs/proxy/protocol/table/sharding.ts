import { namesKeys } from "../../../../core/slots/keys-of.ts";

/**
 * What an endpoint does with a command that it forwards, where the database has several shards.
 * - slot: its keys lie in one slot, or it gets CROSSSLOT
 * - sum, list, ok: each shard gets a part with its keys; the reply is the sum of theirs, their elements in the order of the keys, or OK
 * - every: each shard gets it; `mergeOf` says what their replies become
 * - random: each shard is asked for a key, and how many it has
 * - channel: it goes to the shard of the slot of its channel
 * - any: each engine answers it alike
 * - none: not available
 */
export type Sharding = "slot" | "sum" | "list" | "ok" | "every" | "random" | "channel" | "any" | "none";

/**
 * What the replies of all shards become.
 * - sums, oks: their sum, or OK
 * - arrays: the elements of all
 * - newest: the same of logs, the newest first, as many as the request wants
 * - counts: the names in their order, and the sum of the numbers behind each
 * - least: the lowest number
 * - scripts: of each script, whether all can run it
 * - first: that of one, as all do the same; found: that of one that has it; running: that of one that runs something
 * - texts: each text, behind a line with the number of its shard
 * - info: INFO of the database
 */
export type Merging =
  | "sums"
  | "oks"
  | "arrays"
  | "counts"
  | "newest"
  | "least"
  | "scripts"
  | "first"
  | "found"
  | "running"
  | "texts"
  | "info";

/** Of a command that is simply forwarded, by its name; a subcommand is `XINFO|STREAM`. */
export function shardingOf(name: string): Sharding {
  if (mergingOf(name) !== undefined) return "every";
  return LISTED.get(name) ?? (namesKeys(name) ? "slot" : "none");
}

/** What becomes of the replies to a command that each shard gets; undefined for any other. */
export function mergingOf(name: string): Merging | undefined {
  return MERGED.get(name);
}

const NAMES: Readonly<Partial<Record<Sharding, string>>> = {
  sum: "DEL EXISTS TOUCH UNLINK",
  list: "MGET",
  ok: "MSET",
  random: "RANDOMKEY",
  channel: "PUBLISH SPUBLISH",
  any:
    "PING ECHO TIME LOLWUT ROLE SCAN COMMAND COMMAND|COUNT COMMAND|DOCS COMMAND|GETKEYS COMMAND|GETKEYSANDFLAGS COMMAND|HELP COMMAND|INFO " +
    "COMMAND|LIST OBJECT OBJECT|HELP MEMORY MEMORY|HELP XINFO XINFO|HELP XGROUP XGROUP|HELP ACL ACL|CAT ACL|GENPASS ACL|HELP " +
    "CLIENT CLIENT|HELP CLIENT|CACHING CLIENT|GETREDIR CLIENT|TRACKINGINFO CONFIG CONFIG|HELP MODULE MODULE|HELP MODULE|LIST " +
    "SLOWLOG SLOWLOG|HELP COMMANDLOG COMMANDLOG|HELP LATENCY LATENCY|HELP SCRIPT SCRIPT|HELP PUBSUB PUBSUB|HELP " +
    "PUBSUB|CHANNELS PUBSUB|NUMPAT PUBSUB|NUMSUB " +
    "FUNCTION FUNCTION|DUMP FUNCTION|HELP FUNCTION|LIST " +
    "CLUSTER CLUSTER|COUNTKEYSINSLOT CLUSTER|GETKEYSINSLOT CLUSTER|HELP CLUSTER|INFO CLUSTER|KEYSLOT CLUSTER|LINKS " +
    "CLUSTER|MYID CLUSTER|MYSHARDID CLUSTER|NODES CLUSTER|SHARDS CLUSTER|SLOT-STATS CLUSTER|SLOTS",
};

const MERGINGS: Readonly<Record<Merging, string>> = {
  sums: "DBSIZE SLOWLOG|LEN COMMANDLOG|LEN LATENCY|RESET",
  oks:
    "FLUSHALL FLUSHDB CONFIG|RESETSTAT SLOWLOG|RESET COMMANDLOG|RESET MEMORY|PURGE " +
    "FUNCTION|DELETE FUNCTION|FLUSH FUNCTION|RESTORE SCRIPT|FLUSH",
  arrays: "KEYS LATENCY|HISTORY LATENCY|LATEST PUBSUB|SHARDCHANNELS",
  counts: "PUBSUB|SHARDNUMSUB",
  newest: "SLOWLOG|GET COMMANDLOG|GET",
  least: "LASTSAVE",
  scripts: "SCRIPT|EXISTS",
  first: "FUNCTION|LOAD SCRIPT|LOAD",
  found: "SCRIPT|SHOW",
  running: "FUNCTION|STATS",
  texts: "LATENCY|DOCTOR MEMORY|DOCTOR MEMORY|MALLOC-STATS",
  info: "INFO",
};

const LISTED = byName(NAMES);
const MERGED = byName(MERGINGS);

function byName<Kind extends string>(names: Readonly<Partial<Record<Kind, string>>>): ReadonlyMap<string, Kind> {
  return new Map(
    (Object.keys(names) as Kind[]).flatMap((kind) =>
      (names[kind] ?? "").split(" ").map((name) => [name, kind] as const),
    ),
  );
}
