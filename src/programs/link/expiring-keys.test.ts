import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites, type LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };
const NUMBERS = Array.from({ length: 30 }, (_, index) => index);
const FAR_MS = 4_102_444_800_000;
const SOON_MS = 300;

/** Both sites agree on the keys, and on their time. */
async function agree({ engines, sites }: LinkedSites, key: string): Promise<void> {
  for (const engine of engines)
    await until("it expires there", async () => (await engine.call("PEXPIRETIME", key)) === FAR_MS, PATIENCE);
  const isForgotten = async (): Promise<boolean> =>
    (await Promise.all(sites.map(({ link }) => link.status()))).flat().every(({ knownKeys }) => knownKeys === 0);
  await until("no site remembers a key", isForgotten, PATIENCE);
}

await test("keys that both sites write shortly before their time are the same at both after it", async () => {
  await using world = await startLinkedSites({ sites: 2, latencyMs: 30 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first, second] = world.engines;
  const keys = NUMBERS.flatMap((number) => ["c", "s", "h"].map((type) => `${type}${number}`));
  for (const number of NUMBERS) {
    await first?.call("SET", `c${number}`, "5");
    await first?.call("SADD", `s${number}`, "old");
    await first?.call("HSET", `h${number}`, "f", "5");
  }
  for (const key of keys) await first?.call("PEXPIREAT", key, String(FAR_MS));
  await agree(world, keys.at(-1) ?? "");
  const time = Date.now() + SOON_MS;
  for (const key of keys) await first?.call("PEXPIREAT", key, String(time));
  await until("their time is near", () => Date.now() >= time - 25, { ...PATIENCE, everyMs: 1 });
  await Promise.all(
    [first, second].map(async (engine) => {
      for (const number of NUMBERS) {
        await engine?.call("INCRBY", `c${number}`, "1");
        await engine?.call("SADD", `s${number}`, "new");
        await engine?.call("HINCRBY", `h${number}`, "f", "1");
      }
    }),
  );
  await assertSameData(world, []);
});

await test("keys that one site renews live on at both with all that they hold, although the other one lets them expire", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first, second] = world.engines;
  await first?.call("HSET", "session", "user", "u1");
  await first?.call("SET", "kept", "v");
  for (const key of ["session", "kept"]) await first?.call("PEXPIREAT", key, String(FAR_MS));
  await agree(world, "kept");
  world.cut(2);
  assert.equal(await second?.call("PEXPIREAT", "session", String(FAR_MS + 1)), 1);
  assert.equal(await second?.call("PERSIST", "kept"), 1);
  for (const key of ["session", "kept"]) {
    await first?.call("PEXPIRE", key, "20");
    await until(`${key} has expired`, async () => (await first?.call("EXISTS", key)) === 0, PATIENCE);
  }
  world.heal();
  for (const engine of world.engines) {
    await until("the session is back", async () => (await engine.call("HGET", "session", "user")) !== null, PATIENCE);
    await until("the string is back", async () => (await engine.call("EXISTS", "kept")) === 1, PATIENCE);
  }
  await assertSameData(world, []);
  assert.equal(await first?.call("PTTL", "kept"), -1);
  assert.equal(await first?.call("PEXPIRETIME", "session"), FAR_MS + 1);
});

await test("a string that keeps its time when its value is written has that time at both sites, agreed on before or not", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first, second] = world.engines;
  for (const number of NUMBERS) {
    await first?.call("SET", `s${number}`, "1", "PXAT", String(FAR_MS));
    await first?.call("SET", `f${number}`, "1", "PXAT", String(FAR_MS));
    await first?.call("SET", `s${number}`, "2", "KEEPTTL");
    await first?.call("INCRBYFLOAT", `f${number}`, "0.5");
  }
  await agree(world, "s29");
  await assertSameData(world, []);
  for (const number of NUMBERS) {
    await second?.call("SET", `s${number}`, "3", "KEEPTTL");
    await second?.call("INCRBYFLOAT", `f${number}`, "0.5");
  }
  await assertSameData(world, []);
  for (const engine of world.engines)
    for (const key of NUMBERS.flatMap((number) => [`s${number}`, `f${number}`]))
      assert.equal(await engine.call("PEXPIRETIME", key), FAR_MS, key);
  assert.equal(await first?.call("GET", "f0"), "2");
});
