import assert from "node:assert/strict";
import { test } from "node:test";
import { Sites } from "../../../test/kit/merge/sites.ts";
import { seededDice } from "../../../test/kit/world/chaos.ts";

/** `MERGE_SCHEDULES` and `MERGE_SEED` choose others. */
const SCHEDULES = Number(process.env["MERGE_SCHEDULES"] ?? 300);
const FIRST = Number(process.env["MERGE_SEED"] ?? 1);
const STEPS = 150;
/** Clocks of sites differ by up to this, in milliseconds. */
const SKEW_MS = 300_000;

test(`sites converge in ${SCHEDULES} random schedules of writes, late streams, repeated operations, partitions and wrong clocks`, () => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) converges(seed);
});

function converges(seed: number): void {
  const sites = play(seed);
  sites.settle();
  const digests = sites.places.map(({ engine }) => engine.digest());
  for (const digest of digests) assert.equal(digest, digests[0], `seed ${seed}`);
  // each site says what it has seen, and then what it has got from the others
  for (let round = 0; round < 3; round += 1) {
    for (const place of sites.places) sites.beat(place);
    sites.settle();
  }
  for (const { site, engine } of sites.places) {
    site.forgetAgreed();
    assert.equal(site.knownKeys, 0, `seed ${seed}: something is remembered of keys that all sites agree on`);
    assert.equal(engine.digest(), digests[0], `seed ${seed}: forgetting changes nothing`);
  }
}

function play(seed: number): Sites {
  const dice = seededDice(seed);
  const below = (count: number): number => Math.floor(dice() * count);
  const one = <T>(first: T, ...others: readonly T[]): T => [first, ...others][below(others.length + 1)] ?? first;
  const sites = new Sites(2 + below(3), () => below(2 * SKEW_MS) - SKEW_MS);
  const place = () => sites.places[below(sites.places.length)];
  const link = () => sites.links[below(sites.links.length)] ?? "";
  const actions: readonly (() => void)[] = [
    ...Array.from({ length: 4 }, () => () => void sites.write(place(), commandOf(one))),
    ...Array.from({ length: 2 }, () => () => void sites.work(place())),
    ...Array.from({ length: 3 }, () => () => void sites.capture(place())),
    () => sites.cut(link(), below(2) === 0),
    () => void sites.deliver(link(), below(5) === 0),
    () => void sites.deliver(link()),
    () => {
      if (below(3) === 0) sites.beat(place());
    },
  ];
  for (let step = 0; step < STEPS; step += 1) actions[below(actions.length)]?.();
  return sites;
}

/** Few keys and members, so that sites meet; keys of one name get every type. */
function commandOf(one: <T>(first: T, ...others: readonly T[]) => T): readonly string[] {
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
      ["RPUSH", `list:${key}`, value],
      ["LPOP", `list:${key}`],
    ],
    ...[
      ["PEXPIREAT", `until:${key}`, `900000000${value}`],
      ["PERSIST", `until:${key}`],
      ["SET", `until:${key}`, value],
    ],
    ...[
      ["DEL", `until:${key}`],
      ["INCRBY", `until:${key}`, "3"],
    ],
  );
}
