import { namesKeys } from "../../../../core/slots/keys-of.ts";

/**
 * What an endpoint does with a command that it forwards, where the database has several shards.
 * - slot: its keys lie in one slot, or it gets CROSSSLOT
 * - sum, list, ok: each shard gets a part with its keys; the reply is the sum of theirs, their elements in the order of the keys, or OK
 * - every: each shard gets it
 * - any: each engine answers it alike
 * - none: not available
 */
export type Sharding = "slot" | "sum" | "list" | "ok" | "every" | "any" | "none";

/** Of a command that is simply forwarded, by its name; a subcommand is `XINFO|STREAM`. */
export function shardingOf(name: string): Sharding {
  return LISTED.get(name) ?? (namesKeys(name) ? "slot" : "none");
}

const NAMES: Readonly<Partial<Record<Sharding, string>>> = {
  sum: "DEL EXISTS TOUCH UNLINK",
  list: "MGET",
  ok: "MSET",
  every: "DBSIZE KEYS FLUSHALL FLUSHDB",
  any:
    "PING ECHO TIME LOLWUT COMMAND COMMAND|COUNT COMMAND|DOCS COMMAND|GETKEYS COMMAND|GETKEYSANDFLAGS COMMAND|HELP COMMAND|INFO " +
    "COMMAND|LIST OBJECT OBJECT|HELP MEMORY MEMORY|HELP XINFO XINFO|HELP XGROUP XGROUP|HELP ACL|CAT ACL|GENPASS ACL|HELP " +
    "CLIENT CLIENT|HELP CLIENT|CACHING CONFIG CONFIG|HELP",
};

const LISTED: ReadonlyMap<string, Sharding> = new Map(
  (Object.keys(NAMES) as Sharding[]).flatMap((sharding) =>
    (NAMES[sharding] ?? "").split(" ").map((name) => [name, sharding] as const),
  ),
);
