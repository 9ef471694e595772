import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites, type LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };
const LATER_MS = 4_102_444_800_000;

/** Adds a member to each key, with a time of expiry that all sites agree on. */
async function writeExpiring({ engines }: LinkedSites, ...keys: readonly string[]): Promise<void> {
  const [first, ...others] = engines;
  for (const key of keys) {
    await first?.call("SADD", key, "m");
    await first?.call("PEXPIREAT", key, String(LATER_MS));
  }
  const key = keys.at(-1) ?? "";
  for (const engine of others)
    await until("it expires there", async () => (await engine.call("PEXPIRETIME", key)) === LATER_MS, PATIENCE);
}

await test("a set that one site empties while another one adds to it expires at neither", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  await writeExpiring(world, "gone", "filled");
  const [first, second] = world.engines;
  world.cut(2);
  await first?.call("SREM", "gone", "m");
  await first?.call("SREM", "filled", "m");
  await first?.call("SADD", "filled", "o");
  for (const key of ["gone", "filled"]) await second?.call("SADD", key, "n");
  world.heal();
  for (const engine of world.engines)
    for (const key of ["gone", "filled"])
      await until(`${key} does not expire`, async () => (await engine.call("PEXPIRETIME", key)) === -1, PATIENCE);
  await assertSameData(world, []);
  assert.deepEqual(await first?.call("SMEMBERS", "gone"), ["n"]);
});

await test("a set that was emptied right before its link ends expires nowhere", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  await writeExpiring(world, "k");
  const [first, second] = world.engines;
  world.cut(2);
  await second?.call("SADD", "k", "n");
  await first?.call("SREM", "k", "m");
  await world.restartLink(1);
  world.heal();
  for (const engine of world.engines)
    await until("it does not expire", async () => (await engine.call("PEXPIRETIME", "k")) === -1, PATIENCE);
  await assertSameData(world, []);
});

await test("a set that both sites empty, each of its member, does not expire when it is filled again", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  await writeExpiring(world, "k");
  const [first, second] = world.engines;
  await second?.call("SADD", "k", "n");
  await until("both are there", async () => (await first?.call("SCARD", "k")) === 2, PATIENCE);
  world.cut(2);
  await first?.call("SREM", "k", "m");
  await second?.call("SREM", "k", "n");
  world.heal();
  await until("it is gone", async () => (await first?.call("EXISTS", "k")) === 0, PATIENCE);
  await first?.call("SADD", "k", "o");
  for (const engine of world.engines)
    await until(
      "it is there, and does not expire",
      async () => (await engine.call("PEXPIRETIME", "k")) === -1,
      PATIENCE,
    );
  await assertSameData(world, []);
});

await test("a key that one site deletes and another one has expire later is the same at both when it is made again", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
  await writeExpiring(world, ...keys);
  const [first, second] = world.engines;
  world.cut(2);
  for (const key of keys) {
    await first?.call("DEL", key);
    await second?.call("PEXPIREAT", key, String(LATER_MS + 1));
  }
  world.heal();
  for (const key of keys) {
    const isDeleted = async (): Promise<boolean> => (await second?.call("EXISTS", key)) === 0;
    await until("it is deleted there", isDeleted, { ...PATIENCE, everyMs: 1 });
    await second?.call("SADD", key, "n");
  }
  await until("the last one is there", async () => (await first?.call("SCARD", "k19")) === 1, PATIENCE);
  await assertSameData(world, []);
});
