import type { Dice } from "../world/chaos.ts";
import type { SiteRequest } from "./site-request.ts";
import type { Place } from "./writes.ts";

/** Whose turn it is; `number` is another one for each request of a site. */
export interface Turn {
  readonly site: number;
  readonly number: number;
  readonly dice: Dice;
}

/** Names of keys that always have a time of expiry. */
export const TIMED = ["session:", "cache:"] as const;
/** Names of keys whose time comes while clients write, and soon afterwards. */
export const BRIEF = ["brief:", "limiter:"] as const;

const [LONG_SECONDS, BRIEF_MS, LIMITER_MS] = [3_600, 300, 200];
const [SESSIONS, CACHED, LIMITERS] = [10, 100, 5];
const SITES = 3;
const BIG = "4000000000000000000";

/** What applications do all the time, each as often as it is here. */
export const APPLICATIONS: readonly ((turn: Turn) => SiteRequest)[] = [
  session,
  brief,
  limiter,
  board,
  addJob,
  takeJob,
  firstJob,
  cart,
  cache,
  cache,
];

/** Each request of a user writes to the session, and gives it another hour. */
function session({ site, number, dice }: Turn): SiteRequest {
  const key = `session:${upTo(dice, SESSIONS)}`;
  const place: Place = { type: "hash", key, element: `f${site}` };
  const value = String(number);
  return {
    commands: atOnce(["HSET", key, place.element, value], ["EXPIRE", key, String(LONG_SECONDS)]),
    written: () => ({ kind: "own", place, value }),
  };
}

/** As a session that ends at any moment. */
function brief({ site, number, dice }: Turn): SiteRequest {
  const key = `brief:${upTo(dice, SESSIONS)}`;
  return unchecked(...atOnce(["HSET", key, `f${site}`, String(number)], ["PEXPIRE", key, String(BRIEF_MS)]));
}

function limiter({ dice }: Turn): SiteRequest {
  return unchecked(...limiterCommands(`limiter:${upTo(dice, LIMITERS)}`));
}

/** Counts a request; the time begins with the first one. */
export function limiterCommands(key: string): readonly (readonly string[])[] {
  return atOnce(["INCR", key], ["PEXPIRE", key, String(LIMITER_MS), "NX"]);
}

/** The best of a player, who plays at one site: it is always better than before. */
function board({ site, number, dice }: Turn): SiteRequest {
  const place: Place = { type: "zset", key: "board", element: `${site}:${upTo(dice, SESSIONS)}` };
  return {
    commands: [["ZADD", "board", "GT", String(number), place.element]],
    written: () => ({ kind: "own", place, value: String(number) }),
  };
}

/** A job in a queue, by its time. */
function addJob({ site, number }: Turn): SiteRequest {
  const element = `${site}:${number}`;
  return {
    commands: [["ZADD", "jobs", String(number), element]],
    written: ([reply]) => (reply === 0 ? undefined : { kind: "added", key: "jobs", element }),
  };
}

/** Of any site, if it is there. */
function takeJob({ number, dice }: Turn): SiteRequest {
  const element = `${1 + upTo(dice, SITES)}:${upTo(dice, number)}`;
  return {
    commands: [["ZREM", "jobs", element]],
    written: ([reply]) => (reply === 0 ? undefined : { kind: "removed", key: "jobs", element }),
  };
}

/** Another queue, of which the first is taken, whatever it is. A link that has just started takes that for a write of the whole queue. */
function firstJob({ site, number, dice }: Turn): SiteRequest {
  if (dice() < 0.5) return unchecked(["ZADD", "urgent", String(number), `${site}:${number}`]);
  return unchecked(pickPop(dice, number));
}

function pickPop(dice: Dice, number: number): readonly string[] {
  return dice() < 0.5 ? ["ZPOPMIN", "urgent"] : ["ZREMRANGEBYSCORE", "urgent", "0", String(number / 2)];
}

/** All that is known of it is that sites agree, also where its sums are beyond 64 bits. */
function cart({ dice }: Turn): SiteRequest {
  const [key, item] = [`cart:${upTo(dice, SESSIONS)}`, `item${upTo(dice, SESSIONS)}`];
  if (dice() < 0.1) return unchecked(["DEL", key]);
  if (dice() < 0.2) return unchecked(["HDEL", key, item]);
  return unchecked(["HINCRBY", key, item, dice() < 0.1 ? BIG : "1"]);
}

/** An engine that is full evicts some of them. */
function cache({ number, dice }: Turn): SiteRequest {
  return unchecked(["SET", `cache:${upTo(dice, CACHED)}`, `${number}`.padEnd(300, "."), "EX", "600"]);
}

function unchecked(...commands: readonly (readonly string[])[]): SiteRequest {
  return { commands, written: () => undefined };
}

function atOnce(...commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [["MULTI"], ...commands, ["EXEC"]];
}

function upTo(dice: Dice, count: number): number {
  return Math.floor(dice() * count);
}
