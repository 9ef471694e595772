import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "../../src/core/base/fault.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { until } from "../kit/time/until.ts";
import { startSites, type Site } from "../kit/world/sites.ts";
import { database, endpointOf, failWith, isUp, PATIENCE, primaryOf, serves } from "./active-active-scene.ts";

const KEYS = 200;

test("a site that has lost all its data gets it from the other one before its clients see that it was gone", async () => {
  await using sites = await startSites();
  const [east, west] = await sites.open(["east", "west"], latestRelease());
  assert.ok(east !== undefined && west !== undefined);
  await sites.introduce([east, west]);
  const participatingClusters = [{ name: "east" }, { name: "west" }];
  const globalConfigurations = { replication: false, persistence: "disabled" };
  await east.apply(database("carts", { participatingClusters, storeVersion: "8.0", globalConfigurations }));
  for (const site of [east, west]) await serves(site, "carts", "8.0");
  for (const site of [east, west]) await isUp(site);
  await ask(east, "EVAL", `for i = 1, ${KEYS} do redis.call('SET', 'key:' .. i, i) end`, 0);
  await until("all is at the other site", async () => (await ask(west, "DBSIZE")) === KEYS, PATIENCE);
  const reader = await readAt(west);
  const node = await primaryOf(west);
  await west.kubectl(`delete pod west-${node - 1} --grace-period=0 --force`);
  await until("its clients wait", () => reader.refusals().some((one) => /LOADING/.test(one)), PATIENCE).catch(
    failWith(west),
  );
  await until("it serves again", () => reader.isServed(), PATIENCE).catch(failWith(west));
  await reader.stop();
  assert.equal(reader.missed(), 0, "no client has read that the data is gone");
  assert.equal(await ask(west, "DBSIZE"), KEYS);
  await ask(west, "SET", "after", "1");
  await until("what it writes arrives", async () => (await ask(east, "GET", "after")) === "1", PATIENCE);
});

async function ask(site: Site, ...args: readonly (string | number)[]) {
  return callEngine({ ...(await endpointOf(site)), timeoutMs: 30_000 }, ...args);
}

/** A client that reads one key again and again. */
async function readAt(site: Site) {
  const endpoint = await endpointOf(site);
  const refusals: string[] = [];
  let missed = 0;
  let last: unknown;
  let isOver = false;
  const read = async (): Promise<void> => {
    try {
      last = await callEngine({ ...endpoint, timeoutMs: 30_000 }, "GET", "key:7");
      if (last !== "7") missed += 1;
    } catch (error) {
      last = undefined;
      refusals.push(messageOf(error));
    }
  };
  const running = (async () => {
    while (!isOver) await read();
  })();
  return {
    refusals: () => refusals,
    missed: () => missed,
    isServed: () => last === "7",
    async stop() {
      isOver = true;
      await running;
    },
  };
}
