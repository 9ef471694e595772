/**
 * How the proxy treats a command that is not simply forwarded.
 * - transaction, blocking, wait, subscription: needs a connection to the engine of its own for a while
 * - identity: AUTH and HELLO, which also an unauthenticated client may send
 * - scan: goes on at the server that gave its cursor
 * - session: what the proxy keeps for the client
 * - script: forwarded, its body remembered
 * - denied: belongs to whoever runs the database, not to its clients
 */
export type Treatment =
  | "transaction"
  | "blocking"
  | "wait"
  | "scan"
  | "subscription"
  | "identity"
  | "session"
  | "quit"
  | "script"
  | "denied"
  | "hostile";

/** A command of the table. */
export interface Special {
  readonly name: string;
  readonly treatment: Treatment;
}

/** The entry of the command whose name stands in `bytes`; undefined for a command that is simply forwarded. */
export function specialOf(bytes: Buffer, at: number, length: number): Special | undefined {
  if (length < SHORTEST || length > LONGEST) return undefined;
  const hint = hintOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + length - 1] ?? 0, length);
  if (HINTS[hint] === 0) return undefined;
  return SPECIALS.get(bytes.toString("latin1", at, at + length).toUpperCase());
}

/** True for commands that change nothing: asking twice is as good as asking once. */
export function isRead(name: string): boolean {
  return READS.has(name);
}

const NAMES: Readonly<Record<Treatment, string>> = {
  transaction: "MULTI EXEC DISCARD WATCH UNWATCH",
  blocking: "BLPOP BRPOP BLMOVE BRPOPLPUSH BLMPOP BZPOPMIN BZPOPMAX BZMPOP XREAD XREADGROUP",
  wait: "WAIT WAITAOF",
  scan: "SCAN HSCAN SSCAN ZSCAN",
  subscription: "SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE SUNSUBSCRIBE",
  identity: "AUTH HELLO",
  session: "SELECT CLIENT RESET",
  quit: "QUIT",
  script: "EVAL EVAL_RO SCRIPT",
  denied:
    "MONITOR SYNC PSYNC REPLCONF REPLICAOF SLAVEOF FAILOVER SHUTDOWN DEBUG CONFIG ACL MODULE CLUSTER LATENCY SLOWLOG " +
    "SAVE BGSAVE BGREWRITEAOF MIGRATE RESTORE-ASKING ASKING READONLY READWRITE PFDEBUG PFSELFTEST COMMANDLOG",
  // an engine ends the connection on these, taking them for a web page's request
  hostile: "POST HOST:",
};

const SPECIALS = new Map<string, Special>();
for (const treatment of Object.keys(NAMES) as Treatment[])
  for (const name of NAMES[treatment].split(" ")) SPECIALS.set(name, { name, treatment });

const LENGTHS = [...SPECIALS.keys()].map((name) => name.length);
const SHORTEST = Math.min(...LENGTHS);
const LONGEST = Math.max(...LENGTHS);

/** Most commands are told from the table's by three of their letters, without making a string. */
const HINTS = new Uint8Array(1 << 16);
for (const name of SPECIALS.keys())
  HINTS[hintOf(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(name.length - 1), name.length)] = 1;

function hintOf(first: number, second: number, last: number, length: number): number {
  return ((first & 31) << 11) | ((second & 31) << 6) | ((last & 31) << 1) | (length & 1);
}

const READS = new Set(
  (
    "GET MGET STRLEN GETRANGE SUBSTR GETBIT BITCOUNT BITPOS EXISTS TYPE TTL PTTL EXPIRETIME PEXPIRETIME KEYS SCAN DBSIZE " +
    "RANDOMKEY HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSTRLEN HSCAN HRANDFIELD LLEN LRANGE LINDEX LPOS SCARD " +
    "SISMEMBER SMISMEMBER SMEMBERS SRANDMEMBER SSCAN SINTER SUNION SDIFF SINTERCARD ZCARD ZSCORE ZMSCORE ZRANGE " +
    "ZRANGEBYSCORE ZRANGEBYLEX ZREVRANGE ZREVRANGEBYSCORE ZREVRANGEBYLEX ZRANK ZREVRANK ZCOUNT ZLEXCOUNT ZSCAN " +
    "ZRANDMEMBER ZINTER ZUNION ZDIFF XLEN XRANGE XREVRANGE XINFO XPENDING GEODIST GEOPOS GEOHASH GEOSEARCH PING ECHO " +
    "TIME INFO COMMAND OBJECT MEMORY DUMP EVAL_RO EVALSHA_RO FCALL_RO SORT_RO BITFIELD_RO PUBSUB LCS ROLE LOLWUT"
  ).split(" "),
);
