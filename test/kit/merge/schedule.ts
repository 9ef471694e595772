import assert from "node:assert/strict";
import { seededDice } from "../world/chaos.ts";
import { Limiters } from "./limiters.ts";
import { PowerCuts } from "./power-cuts.ts";
import { syncDisk } from "./power.ts";
import { Sites } from "./sites.ts";

/** How many steps a schedule has before everything arrives. */
const STEPS = 150;
/** Clocks of sites differ by up to this, in milliseconds. */
const SKEW_MS = 300_000;

/**
 * Plays a random schedule of writes, transactions, late streams, repeated operations, partitions, crashes, keys that expire or are evicted at any moment,
 * sites that come, go and lose all, and wrong clocks; throws unless all sites come to the same.
 */
export function converges(seed: number): void {
  const { sites, sum, twice, limiters } = play(seed);
  sites.settle();
  assert.deepEqual(
    limiters?.withoutTime ?? [],
    [],
    `seed ${seed}: no counter that a client gave a time is without one`,
  );
  const places = sites.places.filter(({ state }) => state !== "gone");
  const digests = places.map(({ engine }) => engine.digest());
  if (sum !== undefined) {
    const counted = places[0]?.engine.read("sum") ?? "0";
    assert.ok(Number(counted) >= sum, `seed ${seed}: no increment is lost: ${counted} of ${sum}`);
    assert.ok(
      Number(counted) <= sum + twice,
      `seed ${seed}: none counts twice: ${counted} of ${sum}, ${twice} more may`,
    );
  }
  for (const digest of digests) assert.equal(digest, digests[0], `seed ${seed}`);
  // each site says what it has seen while it has something to say
  for (let round = 0; places.some(({ site }) => site.hasUnsaid); round += 1) {
    assert.ok(round < 4, `seed ${seed}: sites never end to say what they have seen`);
    for (const place of places) if (place.site.hasUnsaid) sites.beat(place);
    sites.settle();
  }
  for (const place of places) if (place.disk !== undefined) syncDisk(place);
  for (const place of places) sites.exchange.tell(place);
  for (const { site, engine, state } of places) {
    assert.ok(state === "open" || site.isAwaited, `seed ${seed}: clients of a site that has come may write`);
    site.forgetAgreed();
    assert.equal(site.keys.count, 0, `seed ${seed}: something is remembered of keys that all sites agree on`);
    assert.equal(engine.digest(), digests[0], `seed ${seed}: forgetting changes nothing`);
    assert.equal(site.kept.bytes, 0, `seed ${seed}: operations are kept that all sites have`);
  }
}

interface Played {
  readonly sites: Sites;
  /** What the increments of one counter make together; undefined when a site went with some of them, or lost them. */
  readonly sum: number | undefined;
  /** What of it may count twice. */
  readonly twice: number;
  /** Undefined where all keys were removed, or a site has not followed each operation: what ended a key is not known then. */
  readonly limiters: Limiters | undefined;
}

function play(seed: number): Played {
  const dice = seededDice(seed);
  const below = (count: number): number => Math.floor(dice() * count);
  const one = <T>(first: T, ...others: readonly T[]): T => [first, ...others][below(others.length + 1)] ?? first;
  // seeds of schedules without power cuts play what they played before there were any
  const chance = seededDice(seed + 1_000_000_007);
  const powers = chance() < 0.3;
  const [ofSites, skewOf, keptMost] = [2 + below(3), () => below(2 * SKEW_MS) - SKEW_MS, one(0, 500, Infinity)];
  const keptBytes = powers ? Infinity : keptMost;
  // room for all operations that come early, for none, or for three
  const sites = new Sites(ofSites, skewOf, keptBytes, [Infinity, 0, 2_000][seed % 3]);
  const place = () => sites.places[below(sites.places.length)];
  const link = () => sites.links[below(sites.links.length)] ?? "";
  const hasFlushes = below(3) === 0;
  let [sum, isWhole, hasCrashed] = [0, true, false];
  const count = (there?: Sites["places"][number]): void => {
    if (hasFlushes) return; // an increment that a flush has seen is gone
    const by = 1 + below(9);
    const at = there ?? place();
    if (!sites.write(at, ["INCRBY", "sum", String(by)])) return;
    sum += by;
    power?.counted(at, by);
  };
  const happens = (): boolean => below(3) === 0 && !powers;
  const members = { comes: happens(), goes: happens(), loses: happens() };
  const away = below(2) === 0 ? place()?.id : undefined; // no link to it for a long time
  const often = one(1, 2, 8, 1_000); // processes end at some sites all the time, at others hardly ever
  const limiters = new Limiters(sites);
  const power = powers ? new PowerCuts(sites, chance, seed) : undefined;
  const actions: readonly (() => void)[] = [
    () => count(),
    () => limiters.count(place(), one("a", "b")),
    () => limiters.setTime(),
    ...Array.from({ length: 4 }, () => () => void sites.write(place(), commandOf(one))),
    () => void sites.write(place(), ...Array.from({ length: 2 + below(3) }, () => commandOf(one))),
    ...Array.from({ length: 2 }, () => () => void sites.work(place())),
    ...Array.from({ length: 3 }, () => () => void sites.capture(place())),
    ...ofLinks(sites, { place, link, below, away }),
    () => {
      if (below(often) === 0) {
        sites.crash(place());
        hasCrashed = true;
      }
    },
    () => passTime(sites, place(), below(2) === 0),
    () => lookOrEvict(sites, place(), one),
    ...ofMembers(sites, { place, below, hasFlushes, ...members }, () => (isWhole = false)),
  ];
  for (let step = 0; step < STEPS; step += 1) {
    power?.step(hasFlushes ? undefined : count);
    if (step === STEPS / 5) for (const each of sites.links) sites.cut(each, each.split(">").includes(String(away)));
    actions[below(actions.length)]?.();
  }
  if (sites.places.some(({ state }) => state === "gone")) isWhole = false;
  sum -= power?.end() ?? 0;
  limiters.end();
  const knowsEnds = isWhole && !hasFlushes && !hasCrashed && !powers && keptBytes === Infinity;
  const wanted = isWhole ? sum : undefined;
  return { sites, sum: wanted, twice: power?.twice ?? 0, limiters: knowsEnds ? limiters : undefined };
}

/** Sites come and go, lose all that they have, and get what the others hold; all keys are removed. */
function ofMembers(
  sites: Sites,
  {
    place,
    below,
    comes,
    goes,
    loses,
    hasFlushes,
  }: Pick<Chosen, "place" | "below"> & Record<"comes" | "goes" | "loses" | "hasFlushes", boolean>,
  onLost: () => void,
): readonly (() => void)[] {
  return [
    () => {
      if (comes && below(4) === 0 && sites.places.length < 6) sites.join();
      if (goes && below(6) === 0) sites.leave(place());
      if (loses && below(4) === 0 && sites.lose(place())) onLost();
    },
    () => {
      sites.configure(place());
      sites.transfer(place(), place());
    },
    () => {
      if (hasFlushes && below(3) === 0) sites.write(place(), ["FLUSHDB"]);
    },
  ];
}

interface Chosen {
  readonly place: () => Sites["places"][number] | undefined;
  readonly link: () => string;
  readonly below: (count: number) => number;
  /** No link to it is mended. */
  readonly away: number | undefined;
}

function ofLinks(sites: Sites, { place, link, below, away }: Chosen): readonly (() => void)[] {
  return [
    () => {
      const each = link();
      if (!each.split(">").includes(String(away))) sites.cut(each, below(2) === 0);
    },
    () => void sites.deliver(link(), below(5) === 0),
    () => void sites.deliver(link()),
    () => {
      if (below(3) === 0) sites.beat(place());
      if (below(3) === 0) sites.exchange.resend(link());
      if (below(5) === 0) sites.save(place());
    },
  ];
}

/** The site looks at a sorted set, or its engine is full: then that removes a key that has a time of expiry. */
function lookOrEvict(
  sites: Sites,
  place: Sites["places"][number] | undefined,
  one: (first: string, ...others: readonly string[]) => string,
): void {
  const [type, name] = [one("set", "hash", "zset", "list", "until"), one("a", "b")];
  if (one("look", "evict") === "look") return sites.lookAtMembers(place, `zset:${name}`);
  const commands = place?.engine.evict(`${type}:${name}`) ?? [];
  if (commands.length > 0) place?.stream.push({ kind: "commands", commands });
}

/** The time of each key of a site comes: the engine removes it at once, or when it is asked for it. */
function passTime(sites: Sites, place: Sites["places"][number] | undefined, isAtOnce: boolean): void {
  place?.engine.lapse();
  if (isAtOnce) sites.expire(place);
}

/** Few keys and members, so that sites meet; keys of one name get every type. */
export function commandOf(one: <T>(first: T, ...others: readonly T[]) => T): readonly string[] {
  const key = one("a", "b");
  const member = one("m", "n", "o");
  const value = String(one(1, 2, 3, 40, 50));
  return one<readonly string[]>(
    ...[
      ["SET", key, value],
      ["INCRBY", key, value],
      ["DEL", key],
      ["SADD", key, member],
      ["HSET", key, member, value],
    ],
    ...[
      ["SADD", `set:${key}`, member],
      ["SREM", `set:${key}`, member],
      ["DEL", `set:${key}`],
    ],
    ...[
      ["SET", `set:${key}`, value],
      ["DEL", `hash:${key}`],
    ],
    ...[
      ["HSET", `hash:${key}`, member, value],
      ["HDEL", `hash:${key}`, member],
      ["HINCRBY", `hash:${key}`, member, value],
    ],
    ...[
      ["ZADD", `zset:${key}`, value, member],
      ["ZREM", `zset:${key}`, member],
      ["ZINCRBY", `zset:${key}`, value, member],
    ],
    ...[
      ["ZADD", `zset:${key}`, one("NX", "XX", "GT", "INCR"), value, member],
      ["ZADD", `zset:${key}`, one("NX", "XX", "GT"), value, member, "7", one("m", "n", "o")],
      ["ZINCRBY", `zset:${key}`, "0.5", member],
      [one("ZPOPMIN", "ZPOPMAX"), `zset:${key}`],
      one(["ZREMRANGEBYRANK", `zset:${key}`, "0", "1"], ["ZREMRANGEBYSCORE", `zset:${key}`, "2", value]),
    ],
    ...[
      ["RPUSH", `list:${key}`, value],
      ["LPOP", `list:${key}`],
    ],
    ...[
      ["PEXPIREAT", `until:${key}`, `900000000${value}`],
      ["PERSIST", `until:${key}`],
      ["SET", `until:${key}`, value],
      ["SET", one(`until:${key}`, `until:${key}`, `set:${key}`, key), value, "KEEPTTL"],
      ["APPEND", `until:${key}`, "7"],
    ],
    ...[
      ["DEL", `until:${key}`],
      ["INCRBY", `until:${key}`, "3"],
      ["PEXPIREAT", one(`set:${key}`, `hash:${key}`, `zset:${key}`, `list:${key}`), `900000000${value}`],
      ["PEXPIREAT", one(`set:${key}`, `hash:${key}`, `zset:${key}`, key), `900000000${value}`],
      ["PEXPIREAT", one(`set:${key}`, `until:${key}`), `900000000${value}`],
      ["PERSIST", one(`set:${key}`, `hash:${key}`, `zset:${key}`, `list:${key}`)],
    ],
  );
}
