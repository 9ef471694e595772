import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import type { LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { startEngineLoad } from "../../../test/kit/merge/engine-load.ts";
import { writeUnseen } from "../../../test/kit/links/write-unseen.ts";
import { until } from "#kit/testing/until";
import type { DifferingKey, SiteAgreement } from "../../ports/management/link-control.ts";

const PATIENCE = { withinMs: 60_000 };
/** Comparisons under load: `AGREEMENT_ROUNDS=20` is a minute or two. */
const ROUNDS = Number(process.env["AGREEMENT_ROUNDS"] ?? "3");

/** Keys of which the times of expiry are compared in so many rounds that it takes minutes. */
const MANY = 50_000;

/** What each of two sites says of the other one. */
async function agreements({ sites }: LinkedSites): Promise<readonly SiteAgreement[]> {
  const all = (await Promise.all(sites.map(({ link }) => link.status()))).flat();
  return all.flatMap((database) => database.sites.flatMap(({ agreement }) => agreement ?? []));
}

/** Both have compared all keys, from a moment on that is not over yet. */
async function haveAgreed(world: LinkedSites): Promise<void> {
  const from = new Date().toISOString();
  const isNew = ({ agreedAt }: SiteAgreement): boolean => agreedAt !== undefined && agreedAt > from;
  await until(
    "both sites have compared all keys",
    async () => {
      const all = await agreements(world);
      return all.length === 2 && all.every(isNew);
    },
    PATIENCE,
  );
}

/** Both have made another comparison, whatever it has found; the answer: each difference that was shown meanwhile, which may have healed since. */
async function haveCompared(world: LinkedSites): Promise<readonly DifferingKey[]> {
  const from = new Date().toISOString();
  const shown = new Map<string, DifferingKey>();
  const isNew = ({ comparedAt }: SiteAgreement): boolean => comparedAt !== undefined && comparedAt > from;
  const isCompared = async (): Promise<boolean> => {
    const all = await agreements(world);
    for (const each of all.flatMap(({ differences }) => differences)) shown.set(each.key, each);
    return all.every(isNew);
  };
  await until("both sites have compared keys", isCompared, PATIENCE);
  return [...shown.values()];
}

function foundIn(all: readonly SiteAgreement[]): number {
  return all.reduce((sum, { found }) => sum + found, 0);
}

await test("what an engine holds otherwise although no client wrote it is found, shown and healed", async () => {
  const before = [
    ...["SET string same", "SET number 5", "SET gone here", "RPUSH list a b", "SADD set m n"],
    ...["HSET hash f 1 g 2", "ZADD scores 1 a 2 b", "SET timed v PXAT 4102444800000", "SADD type m"],
    ...["SET later v PXAT 4102444800000", `SET large ${"x".repeat(100_000)}`],
  ];
  await using world = await startAgreedSites(before, { sites: 2 });
  const [first, second] = world.engines;
  assert.ok(first !== undefined && second !== undefined);
  await haveAgreed(world);
  assert.equal(foundIn(await agreements(world)), 0);
  await writeUnseen(first, ["SET string other", "DEL gone", "SADD set o", "HSET hash g 3", "PERSIST timed"]);
  await writeUnseen(first, ["PEXPIREAT later 4102444900000", "SETRANGE large 9 y"]);
  await writeUnseen(second, ["RPUSH list c", "ZADD scores 3 b", "SREM set n", "DEL type", "SET type v", "SET made v"]);
  const shown = new Set<string>();
  const isSame = async (...command: readonly [string, ...string[]]): Promise<boolean> => {
    const [here, there] = await Promise.all([first, second].map((engine) => engine.call(...command)));
    return String(here) === String(there);
  };
  await until(
    "all keys are found",
    async () => {
      for (const { differences } of await agreements(world)) for (const { key } of differences) shown.add(key);
      const same = [isSame("EXISTS", "gone"), isSame("EXISTS", "made"), isSame("PEXPIRETIME", "later")];
      return (await Promise.all([...same, isSame("GET", "large")])).every((each) => each);
    },
    PATIENCE,
  );
  await haveAgreed(world);
  await assertSameData(world, []);
  assert.ok(shown.size > 0, "differing keys are shown");
  assert.ok(foundIn(await agreements(world)) >= 11);
  for (const { differences } of await agreements(world)) assert.deepEqual(differences, []);
  for (const engine of [first, second]) {
    assert.equal(Number(await engine.call("SCARD", "set")), 3, "members of both");
    assert.equal(await engine.call("PTTL", "timed"), -1, "no time is later than any");
    assert.equal(await engine.call("PEXPIRETIME", "later"), 4_102_444_900_000, "the later time");
  }
});

await test("a time of expiry that differs is found soon after its key is written, by whom ever, among so many keys that their turn comes much later", async () => {
  await using world = await startAgreedSites([], { sites: 2 });
  const [first, second] = world.engines;
  assert.ok(first !== undefined && second !== undefined);
  await first.call("EVAL", `for i = 1, ${MANY} do redis.call("SET", "k" .. i, "v") end`, "0");
  await until("all are there", async () => (await second.call("DBSIZE")) === MANY, PATIENCE);
  await haveAgreed(world);
  await writeUnseen(first, ["PEXPIREAT k7 4102444900000"]);
  await until("both hold the same", async () => (await first.call("PTTL", "k7")) === -1, PATIENCE);
  assert.ok(foundIn(await agreements(world)) >= 1);
});

await test("nothing is found while clients of both sites write, and keys expire", async () => {
  await using world = await startAgreedSites(["SET kept v"], { sites: 2 });
  const load = startEngineLoad(world.engines, 7);
  const expiring = startExpiring(world.engines);
  const shown: DifferingKey[] = [];
  for (let round = 0; round < ROUNDS; round += 1) shown.push(...(await haveCompared(world)));
  await expiring.finish();
  const counters = await load.finish();
  await assertSameData(world, counters);
  shown.push(...(await haveCompared(world)));
  await haveAgreed(world);
  assert.equal(foundIn(await agreements(world)), 0, `a difference was found, ${JSON.stringify(shown)}`);
});

/** Keys of every engine whose time comes all the while, and is set later now and then. */
function startExpiring(engines: readonly TestEngine[]): { finish(): Promise<void> } {
  let isOver = false;
  const writers = engines.map(async (engine, site) => {
    for (let number = 0; !isOver; number += 1) {
      const name = `${number % 40}`;
      await engine.call("SET", `limit:${name}`, String(site), "PX", "12000");
      await engine.call("HSET", `session:${name}`, `f${site}`, String(number));
      await engine.call("PEXPIRE", `session:${name}`, String(1 + (number % 12) * 1_000));
      await engine.call("INCR", `short:${name}`);
      await engine.call("PEXPIRE", `short:${name}`, "30");
      await sleep(5);
    }
  });
  return {
    finish: async () => {
      isOver = true;
      await Promise.all(writers);
    },
  };
}
