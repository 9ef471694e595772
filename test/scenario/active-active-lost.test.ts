import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "#kit/base/fault";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { textOf } from "../../src/ports/resp/reply.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { startSites, type Site } from "../kit/world/sites.ts";
import { database, endpointOf, failWith, isUp, PATIENCE, primaryOf, serves } from "./active-active-scene.ts";

const KEYS = 200;

const PARTICIPANTS = { participatingClusters: [{ name: "east" }, { name: "west" }], storeVersion: "8.0" };

interface Scene {
  readonly east: Site;
  readonly west: Site;
}

test("a site without replicas loses its primary, with its data and without", async () => {
  await using sites = await startSites();
  const [east, west] = await sites.open(["east", "west"], latestRelease());
  assert.ok(east !== undefined && west !== undefined);
  await sites.introduce([east, west]);
  await east.apply(configured("disabled"));
  for (const site of [east, west]) await serves(site, "carts", "8.0");
  for (const site of [east, west]) await isUp(site);
  await steps<Scene>(
    { east, west },
    {
      "it gets all data from the other site before its clients see that it was gone": loseAll,
      "it starts again from its disk, and goes on with what the engine has appended there": startAgain,
    },
  );
});

async function loseAll({ east, west }: Scene): Promise<void> {
  await ask(east, "EVAL", `for i = 1, ${KEYS} do redis.call('SET', 'key:' .. i, i) end`, 0);
  await until("all is at the other site", async () => (await ask(west, "DBSIZE")) === KEYS, PATIENCE);
  await using reader = await readAt(west);
  await losePrimary(west);
  await until("its clients wait", () => reader.refusals().some((one) => /LOADING/.test(one)), PATIENCE).catch(
    failWith(west),
  );
  await until("it serves again", () => reader.isServed(), PATIENCE).catch(failWith(west));
  assert.equal(reader.missed(), 0, "no client has read that the data is gone");
  assert.equal(await ask(west, "DBSIZE"), KEYS);
  await ask(west, "SET", "after", "1");
  await until("what it writes arrives", async () => (await ask(east, "GET", "after")) === "1", PATIENCE);
}

async function startAgain({ east, west }: Scene): Promise<void> {
  await east.apply(configured("aofEverySecond"));
  const appends = async (): Promise<boolean> => String(await ask(west, "CONFIG", "GET", "appendonly")).endsWith("yes");
  await until("it appends to a file", appends, PATIENCE);
  const write = (value: string) => ask(west, "SET", "kept", value);
  for (let value = 1; value <= 100; value += 1) await write(String(value));
  await until("it is at the other site", async () => (await ask(east, "GET", "kept")) === "100", PATIENCE);
  const node = await primaryOf(west);
  await write("last");
  // the kernel has it: an engine holds back what it has to write while its disk syncs
  const isWritten = async (): Promise<boolean> =>
    /aof_buffer_length:0\b/.test(textOf(await ask(west, "INFO", "persistence")));
  await until("it is in the append-only file", isWritten, PATIENCE);
  await losePrimary(west);
  // the pod is not there at first
  const log = () => west.kubectl(`logs west-${node - 1}`).catch(String);
  const hasResumed = async (): Promise<boolean> => /"the primary is followed".*"isFromFile":true/.test(await log());
  await until("its link goes on with the append-only file", hasResumed, PATIENCE).catch(failWith(west));
  await until("the last write is at the other site", async () => (await ask(east, "GET", "kept")) === "last", PATIENCE);
  await isUp(west);
}

async function losePrimary(site: Site): Promise<void> {
  await site.kubectl(`delete pod ${site.name}-${(await primaryOf(site)) - 1} --grace-period=0 --force`);
}

function configured(persistence: string): object {
  return database("carts", { ...PARTICIPANTS, globalConfigurations: { replication: false, persistence } });
}

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
    // also where the test has failed: a reader that no engine answers goes on for ever
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await running;
    },
  };
}
