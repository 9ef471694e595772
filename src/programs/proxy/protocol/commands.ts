/**
 * The class of a command that is not simply forwarded.
 * - transaction, blocking, wait, subscription: needs a connection to the engine of its own for a while
 * - identity: AUTH and HELLO, which also an unauthenticated client may send
 * - scan: continues at the server that gave its cursor
 * - session: concerns what the proxy keeps for the client
 * - script: EVAL takes a connection of its own, and its body is remembered; others concern scripts, for instance SCRIPT KILL
 * - long: may occupy its connection for long while the engine serves others, so it takes one of its own
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
  | "long"
  | "denied"
  | "hostile";

/** A command that is not simply forwarded. */
export interface SpecialCommand {
  readonly name: string;
  readonly commandClass: CommandClass;
}

/** Looks up the command whose name stands in `bytes`; undefined for one that is simply forwarded. */
export function classify(bytes: Buffer, at: number, length: number): SpecialCommand | undefined {
  if (length < SHORTEST || length > LONGEST) return ofModule(bytes, at, length);
  const hint = hintOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + length - 1] ?? 0, length);
  if (HINTS[hint] === 0) return ofModule(bytes, at, length);
  return SPECIALS.get(bytes.toString("latin1", at, at + length).toUpperCase()) ?? ofModule(bytes, at, length);
}

/** Any command of a module may wait for a thread of it: only those that are known not to go with the others. */
function ofModule(bytes: Buffer, at: number, length: number): SpecialCommand | undefined {
  for (let dot = at; dot < at + length; dot++)
    if (bytes[dot] === DOT) {
      const isQuick = QUICK_MODULES.has(bytes.toString("latin1", at, dot).toUpperCase());
      return isQuick
        ? undefined
        : { name: bytes.toString("latin1", at, at + length).toUpperCase(), commandClass: "long" };
    }
  return undefined;
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
  script: "EVAL EVAL_RO SCRIPT FUNCTION",
  long: "EVALSHA EVALSHA_RO FCALL FCALL_RO VSIM VADD",
  denied:
    "MONITOR SYNC PSYNC REPLCONF REPLICAOF SLAVEOF FAILOVER SHUTDOWN DEBUG CONFIG ACL MODULE CLUSTER LATENCY SLOWLOG " +
    "SAVE BGSAVE BGREWRITEAOF MIGRATE RESTORE-ASKING ASKING READONLY READWRITE PFDEBUG PFSELFTEST COMMANDLOG",
  // engines end the connection on these too: a web page may make a browser send them
  hostile: "POST HOST:",
};

const SPECIALS = new Map<string, SpecialCommand>();
for (const commandClass of Object.keys(NAMES) as CommandClass[])
  for (const name of NAMES[commandClass].split(" ")) SPECIALS.set(name, { name, commandClass });

const DOT = 46;
/** Modules that answer each command at once, in the engine's own thread. */
const QUICK_MODULES: ReadonlySet<string> = new Set(["JSON", "BF", "CF", "CMS", "TOPK", "TDIGEST", "TS"]);

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
