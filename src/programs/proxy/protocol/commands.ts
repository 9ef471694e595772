/**
 * The class of a command that is not simply forwarded.
 * - transaction, blocking, wait, subscription: needs a connection to the engine of its own for a while
 * - identity: AUTH and HELLO, which also an unauthenticated client may send
 * - scan: continues at the server that gave its cursor
 * - session: concerns what the proxy keeps for the client
 * - script: forwarded, and its body remembered
 * - denied: for administrators of the database, not for its clients
 * - hostile: the first words of an HTTP request
 */
export type CommandClass =
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

/** A command that is not simply forwarded. */
export interface SpecialCommand {
  readonly name: string;
  readonly commandClass: CommandClass;
}

/** Looks up the command whose name stands in `bytes`; undefined for one that is simply forwarded. */
export function classify(bytes: Buffer, at: number, length: number): SpecialCommand | undefined {
  if (length < SHORTEST || length > LONGEST) return undefined;
  const hint = hintOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + length - 1] ?? 0, length);
  if (HINTS[hint] === 0) return undefined;
  return SPECIALS.get(bytes.toString("latin1", at, at + length).toUpperCase());
}

/** True for a command that changes nothing, so that it may be sent twice. */
export function isRead(name: string): boolean {
  return READS.has(name);
}

const NAMES: Readonly<Record<CommandClass, string>> = {
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
  // engines end the connection on these too: a web page may make a browser send them
  hostile: "POST HOST:",
};

const SPECIALS = new Map<string, SpecialCommand>();
for (const commandClass of Object.keys(NAMES) as CommandClass[])
  for (const name of NAMES[commandClass].split(" ")) SPECIALS.set(name, { name, commandClass });

const LENGTHS = [...SPECIALS.keys()].map((name) => name.length);
const SHORTEST = Math.min(...LENGTHS);
const LONGEST = Math.max(...LENGTHS);

/** Three letters and the length rule out most commands, without making a string. */
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
