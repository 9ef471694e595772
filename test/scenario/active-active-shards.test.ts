import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#kit/testing/until";
import { connectEngine, type EngineClient } from "../../src/ports/resp/engine-client.ts";
import { listOf, textOf } from "../../src/ports/resp/reply.ts";
import { steps } from "../kit/scenario/step.ts";
import type { Site } from "../kit/world/sites.ts";
import { endpointOf, failWith, isUp, management, PATIENCE, serves } from "./active-active-scene.ts";
import { holdTheSame, nothingFailed, startWrittenSites, type WrittenSites } from "./active-active-written.ts";
import { listOf as objectsOf } from "./by-hand-scene.ts";

// One database over two clusters, with two shards at one and one shard at the other, while clients of both write keys of all slots.

/** The primary is lost with what it has not answered, and clients are cut. */
const MAY_FAIL = /ECONNRESET|closed|LOADING|ended/i;

/** Links keep up with that on a busy machine. */
const PAUSE_MS = 50;

interface Scene extends WrittenSites {
  readonly wide: readonly WideWriter[];
}

test("a database whose sites have different numbers of shards is the same at both, whatever moves meanwhile", async () => {
  await using scene = await startWrittenSites("7.2", { shards: { all: 2, west: 1 } });
  await using stack = new AsyncDisposableStack();
  const wide: WideWriter[] = [];
  for (const site of scene.both) wide.push(stack.use(await writeWide(site)));
  await steps<Scene>(
    { ...scene, wide },
    {
      "each site has its shards, and health shows each range of slots": showSlices,
      "a client waits until the other site has what all shards have": awaitOther,
      "a version set on one site upgrades the shards of both, and no request fails": upgradeBoth,
      "the links of a site are killed, and no request fails": killLinks,
      "the primary of one shard is lost, and the shard fails over": losePrimary,
      "both sites hold the same keys, each one, and say so": compareAll,
      "all keys are removed at a site, of all shards, and the other one follows": flushAll,
    },
  );
});

async function showSlices({ both: [east, west] }: Scene): Promise<void> {
  assert.equal(await slotsAt(east), "0-8191 8192-16383");
  assert.match(await slotsAt(west), /^(?:0-16383)?$/);
  for (const site of [east, west]) {
    const health = await site.type(storectl(site, "health"));
    for (const slots of ["0-8191", "8192-16383"]) assert.match(health, new RegExp(`\\n${slots} +\\d +\\w+ +up `));
  }
}

function slotsAt(site: Site): Promise<string> {
  return site.kubectl("get redb carts -o jsonpath='{.status.shards[*].slots}'");
}

async function awaitOther({ both }: Scene): Promise<void> {
  for (const site of both) {
    const client = await clientOf(site);
    const isThere = async (): Promise<boolean> => (await client.call("WAITSITES", "1", "20000")) === 1;
    await until(`all that was written at ${site.name} is at the other site`, isThere, PATIENCE);
    client.close();
  }
}

async function upgradeBoth(scene: Scene): Promise<void> {
  const { both } = scene;
  await both[1].type(storectl(both[1], "update", "storeVersion=8.0"));
  for (const site of both) await serves(site, "carts", "8.0");
  await nothingFailed(scene);
}

async function killLinks(scene: Scene): Promise<void> {
  for (const site of scene.both) {
    const killed = linksOf(site, scene.sites.dir);
    assert.ok(killed.length > 0);
    for (const pid of killed) process.kill(pid, "SIGKILL");
    await isUp(site);
  }
  await nothingFailed(scene);
}

async function losePrimary({ both: [east] }: Scene): Promise<void> {
  await east.kubectl("wait redb/carts --for=jsonpath='{.status.status}'=active --timeout=60s");
  const primaries = async () => objectsOf(await management(east, "/v1/shards")).filter(({ role }) => role === "master");
  const [victim] = await primaries();
  const node = Number(victim?.["node_uid"]);
  await east.kubectl(`delete pod east-${node - 1} --grace-period=0 --force`);
  const isElsewhere = async (): Promise<boolean> =>
    (await primaries()).every(({ uid, node_uid: on }) => uid !== victim?.["uid"] && Number(on) !== node);
  await until("another node has the primary", isElsewhere, PATIENCE).catch(failWith(east));
}

async function compareAll(scene: Scene): Promise<void> {
  const { both, wide } = scene;
  await holdTheSame(scene);
  for (const writer of wide) assert.deepEqual(await writer.stop(), []);
  await becomeSame(both);
  for (const site of both) {
    const compared = async (): Promise<boolean> => {
      const { code, stdout } = await site.type.run(storectl(site, "compare"));
      return code === 0 && /\n8192-16383 +\d +\w+ +up .* 20\S+Z +0 +-/.test(stdout);
    };
    await until("keys of all slots are compared, and none differs", compared, PATIENCE);
  }
}

async function becomeSame(both: Scene["both"]): Promise<void> {
  const isSame = async (): Promise<boolean> => {
    const [first, second] = await Promise.all(both.map(digestOf));
    return first !== undefined && first.length > 0 && JSON.stringify(first) === JSON.stringify(second);
  };
  await until("both sites hold each key alike", isSame, PATIENCE).catch(failWith(both[0]));
}

async function flushAll({ both: [east, west] }: Scene): Promise<void> {
  const [one, other] = [await clientOf(west), await clientOf(east)];
  await one.call("FLUSHALL");
  await until("no key is left at the other site", async () => (await other.call("DBSIZE")) === 0, PATIENCE);
  for (const key of ["a", "b", "c", "d"]) await other.call("SET", key, "v");
  await other.call("FLUSHALL");
  await one.call("SET", "e", "v");
  await until("what was written behind it stays", async () => (await other.call("DBSIZE")) === 1, PATIENCE);
  assert.deepEqual([await one.call("DBSIZE"), await other.call("GET", "e")], [1, "v"]);
  for (const client of [one, other]) client.close();
}

/** Writes keys of all slots until it is stopped. */
interface WideWriter extends AsyncDisposable {
  /** What has failed, but for what a lost primary explains. */
  stop(): Promise<readonly string[]>;
}

async function writeWide(site: Site): Promise<WideWriter> {
  let client = await clientOf(site);
  const failures: string[] = [];
  let isOver = false;
  const commands = (number: number): readonly (readonly [string, ...string[]])[] => {
    const [one, other] = [`wide:${number % 97}`, `wide:${(number * 7) % 97}`];
    return [
      ["MSET", `${site.name}:${number % 500}`, String(number), one, `${site.name} ${number}`],
      number % 3 === 0 ? ["UNLINK", one, other] : ["SADD", `set:${number % 31}`, `${site.name}:${number}`],
      ["HINCRBY", `hash:${number % 13}`, "field", "1"],
      ["SET", `session:${number % 50}`, "x", "PX", "3000"],
      [
        "EVAL",
        "redis.call('INCR', KEYS[1]) return redis.call('SADD', KEYS[2], ARGV[1])",
        "2",
        "{tag}:n",
        "{tag}:s",
        one,
      ],
    ];
  };
  const running = (async () => {
    for (let number = 0; !isOver; number += 1)
      try {
        await Promise.all(commands(number).map((command) => client.call(...command)));
        await sleep(PAUSE_MS);
      } catch (error) {
        if (!MAY_FAIL.test(String(error))) failures.push(String(error));
        client.close();
        client = await clientOf(site);
      }
    client.close();
  })();
  const stop = async (): Promise<readonly string[]> => {
    isOver = true;
    await running;
    return failures;
  };
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

/** Each key with what it holds; keys that are about to expire stay out. */
async function digestOf(site: Site): Promise<readonly string[]> {
  const client = await clientOf(site);
  try {
    const keys = listOf(await client.call("KEYS", "*"))
      .map(textOf)
      .filter((key) => !key.startsWith("session:"));
    return (await Promise.all(keys.map(async (key) => `${key} ${await heldAt(client, key)}`))).toSorted();
  } finally {
    client.close();
  }
}

async function heldAt(client: EngineClient, key: string): Promise<string> {
  switch (textOf(await client.call("TYPE", key))) {
    case "string":
      return textOf(await client.call("GET", key));
    case "hash":
      return JSON.stringify(
        listOf(await client.call("HGETALL", key))
          .map(textOf)
          .toSorted(),
      );
    default:
      return JSON.stringify(
        listOf(await client.call("SMEMBERS", key))
          .map(textOf)
          .toSorted(),
      );
  }
}

async function clientOf(site: Site): Promise<EngineClient> {
  return connectEngine({ ...(await endpointOf(site)), timeoutMs: 30_000 });
}

/** The links of the nodes of a site, of this test alone. */
function linksOf(site: Site, dir: string): readonly number[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1");
    } catch {
      return ""; // it has ended, or is of another user
    }
  };
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && /\0link\0?$/.test(read(pid, "cmdline")))
    .filter((pid) => {
      // the agent that has started it
      const status = read(pid, "stat");
      const environment = read(status.slice(status.lastIndexOf(")") + 2).split(" ")[1] ?? "", "environ");
      return environment.includes(dir) && environment.includes(`=${site.name}\0`);
    })
    .map(Number);
}

/** A command line of storectl about the database of a site. */
function storectl(site: Site, command: string, ...words: readonly string[]): string {
  return ["node src/bin/storectl.ts active-active", command, "-n", site.name, "carts", ...words].join(" ");
}
