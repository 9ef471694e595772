import { commandOf } from "../merge/commands.ts";
import { byteStringOf, type Reply } from "../../../src/ports/resp/reply.ts";
import type { Dice } from "../world/chaos.ts";
import { SUMS } from "./check.ts";
import { APPLICATIONS, type Turn } from "./applications.ts";
import type { SiteRequest } from "./site-request.ts";
import type { Place, Written } from "./writes.ts";

/** Keys that exist before clients write: a time of expiry needs one. */
export const EXPIRING = ["until:a", "until:b"] as const;

const FAR_AWAY_MS = 4_102_444_800_000;
const NUMBERS = 1_000_000;

/** The next request of the client of a site; `number` is another one for each of them. */
export function requestOf(site: number, number: number, dice: Dice): SiteRequest {
  const kinds = [
    aSum,
    aSum,
    aSum,
    own,
    own,
    own,
    pushed,
    register,
    register,
    register,
    member,
    member,
    bag,
    noise,
    noise,
    ...APPLICATIONS,
  ];
  return pick(dice, kinds)({ site, number, dice });
}

const SCRIPT = `redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('HINCRBY', KEYS[2], ARGV[2], ARGV[1])
  redis.call('ZINCRBY', KEYS[3], ARGV[1], ARGV[2]) return redis.call('SADD', KEYS[4], ARGV[3])`;

/** By a transaction or a script. */
function aSum({ site, number, dice }: Turn): SiteRequest {
  const name = pick(dice, ["a", "b", "c"]);
  const by = 1 + Math.floor(dice() * 9);
  const member = `${site}:${number}`;
  const keys = [SUMS.string(name), SUMS.hash, SUMS.zset, SUMS.log];
  const transaction = [
    ["MULTI"],
    ["INCRBY", SUMS.string(name), String(by)],
    ["HINCRBY", SUMS.hash, name, String(by)],
    ["ZINCRBY", SUMS.zset, String(by), name],
    ["SADD", SUMS.log, member],
    ["EXEC"],
  ];
  const script = [["EVAL", SCRIPT, "4", ...keys, String(by), name, member]];
  return {
    commands: pick(dice, [transaction, transaction, script]),
    written: () => ({ kind: "sum", name, by, member }),
  };
}

function own({ site, number, dice }: Turn): SiteRequest {
  const element = pick(dice, ["m", "n", "o", "p", "q"]);
  const type = pick(dice, ["string", "hash", "set", "zset"] as const);
  const key = type === "string" ? `own:${site}:${element}` : `own:${site}:${type}`;
  const place: Place = { type, key, element: type === "string" ? "" : element };
  const isRemoval = dice() < 0.3;
  const value = type === "set" ? "" : String(number);
  const add = {
    string: ["SET", key, value],
    hash: ["HSET", key, element, value],
    set: ["SADD", key, element],
    zset: ["ZADD", key, value, element],
  };
  const remove = {
    string: ["DEL", key],
    hash: ["HDEL", key, element],
    set: ["SREM", key, element],
    zset: ["ZREM", key, element],
  };
  return {
    commands: [(isRemoval ? remove : add)[type]],
    written: () => ({ kind: "own", place, value: isRemoval ? undefined : value }),
  };
}

function pushed({ site, number }: Turn): SiteRequest {
  const [key, value] = [`list:own:${site}`, String(number)];
  return { commands: [["RPUSH", key, value]], written: () => ({ kind: "pushed", key, value }) };
}

/** Reads and writes in one transaction, so that it is known what the value took the place of. */
function register({ site, number, dice }: Turn): SiteRequest {
  const value = String(site * NUMBERS + number);
  const name = pick(dice, ["a", "b", "c"]);
  const until = pick(dice, EXPIRING);
  const instant = String(FAR_AWAY_MS + site * NUMBERS + number);
  const [place, read, write, now] = pick<readonly [Place, readonly string[], readonly string[], string]>(dice, [
    [
      { type: "string", key: `register:${name}`, element: "" },
      ["GET", `register:${name}`],
      ["SET", `register:${name}`, value],
      value,
    ],
    [
      { type: "hash", key: "registers", element: name },
      ["HGET", "registers", name],
      ["HSET", "registers", name, value],
      value,
    ],
    [
      { type: "zset", key: "places", element: name },
      ["ZSCORE", "places", name],
      ["ZADD", "places", value, name],
      value,
    ],
    [{ type: "expiry", key: until, element: "" }, ["PEXPIRETIME", until], ["PEXPIREAT", until, instant], instant],
  ]);
  return {
    commands: [["MULTI"], read, write, ["EXEC"]],
    written: (replies) => {
      const executed = replies.at(-1);
      const before = Array.isArray(executed) ? (executed[0] ?? null) : null;
      const replaced = before === null || before === -1 ? undefined : byteStringOf(before);
      return { kind: "register", place, value: now, replaced };
    },
  };
}

/** Few members that every site adds and removes. */
function member({ dice }: Turn): SiteRequest {
  const [key, element] = ["members", pick(dice, ["m", "n", "o", "p", "q", "r", "s", "t"])];
  const kind = pick(dice, ["added", "removed"] as const);
  return {
    commands: [[kind === "added" ? "SADD" : "SREM", key, element]],
    written: (replies) => changed(replies, { kind, key, element }),
  };
}

/** Members of their own in a key that every site deletes now and then. */
function bag({ site, number, dice }: Turn): SiteRequest {
  const key = pick(dice, ["bag:a", "bag:b", "bag:c"]);
  if (dice() < 0.1)
    return { commands: [["DEL", key]], written: (replies) => changed(replies, { kind: "deleted", key }) };
  const element = `${site}:${number}`;
  return {
    commands: [["SADD", key, element]],
    written: (replies) => changed(replies, { kind: "added", key, element }),
  };
}

/** A command that changes nothing where it is executed is no write: engines replicate none of it. */
function changed([reply]: readonly Reply[], written: Written): Written | undefined {
  return reply === 0 ? undefined : written;
}

/** Every command on the same few keys, which change their type: all that is known of it is that sites agree. */
function noise({ dice }: Turn): SiteRequest {
  return { commands: [commandOf(dice)], written: () => undefined };
}

function pick<T>(dice: Dice, of: readonly T[]): T {
  const found = of[Math.floor(dice() * of.length)];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
}
