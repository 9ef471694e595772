// Other numbers of shards, and an upgrade of many shards, while clients write: `npm run bench:reshape -- [shards to upgrade: 16] [--keys 10000000]
// [--table 4,3,8,1] [--rounds 1] [--json reshape.json]`. Prints each change: how long it took, how long clients were held, the slowest request and p99,
// and the same of half a minute of the load alone right before it. Exits with 1 when anything failed or was lost.
import { callEngine } from "../src/ports/resp/engine-client.ts";
import { enginesOf } from "../test/kit/world/engine-access.ts";
import { kubeOf } from "../test/kit/world/records.ts";
import { awaitShards } from "../test/kit/world/reshaping.ts";
import { commandLine } from "./command-line.ts";
import type { Seen } from "./database/load.ts";
import { startScene, type Scene } from "./database/scene.ts";
import { conclude, Series } from "./database/table.ts";

const { counts, options } = commandLine({ keys: 10_000_000, table: [4, 3, 8, 1], rounds: 1, json: "reshape.json" }, [
  ["shards to upgrade", 16],
]);
const [upgraded = 0] = counts;
/** Of one of our small keys with its value, in the memory of an engine. */
const BYTES_OF_KEY = 110;
const NODES = [1, 2, 3];
/** Of keys, by one script. */
const PART = 10_000;
const REST_MS = 30_000;

const alone = new Series("load alone");
const changes = new Series("changes");
const holds = new Series("holds");
await reshape();
if (upgraded > 0) await upgrade();
conclude("slowest request, or time held", [alone, changes, holds], options.json);
if (changes.failed + changes.lost > 0) process.exitCode = 1;

async function reshape(): Promise<void> {
  const { keys, table, rounds } = options;
  await using scene = await startScene("7.2", {
    memory_size: Math.max(200_000_000, Math.ceil(keys * BYTES_OF_KEY * 2)),
    shards_count: 1,
    shardsLimit: 4 * Math.max(...table),
  });
  await fill(scene, keys);
  const { cluster, uid } = scene;
  using kube = kubeOf(cluster);
  const steps = Array.from({ length: rounds }, () => table).flat();
  for (const [at, shards] of steps.entries())
    await measure(scene, `${steps[at - 1] ?? 1} to ${shards} shards`, async () => {
      await cluster.client.call("updateBdb", { params: { uid }, body: { shards_count: shards } });
      await awaitShards(cluster, kube, uid, shards);
    });
}

async function upgrade(): Promise<void> {
  await using scene = await startScene("7.2", {
    memory_size: upgraded * 25_000_000,
    shards_count: upgraded,
    shardsLimit: 4 * upgraded,
  });
  const { cluster, uid } = scene;
  await measure(scene, `${upgraded} shards from 7.2 to 8.0`, async () => {
    const body = { store_version: "8.0" };
    await scene.completed((await cluster.client.call("upgradeBdb", { params: { uid }, body })).action_uid);
  });
}

/** Writes keys at the engine of the only shard. */
async function fill({ cluster, uid }: Scene, keys: number): Promise<void> {
  const [primary] = await enginesOf(cluster, uid);
  if (primary === undefined) throw new Error("the database has no engine");
  const script = "for i = ARGV[1], ARGV[2] do redis.call('SET', 'key:' .. i, 'value-' .. i) end";
  for (let from = 0; from < keys; from += PART)
    await callEngine(primary, "EVAL", script, 0, from, Math.min(from + PART, keys) - 1);
  console.log(`${keys} keys are there`);
}

/** Lets the load run alone first, and then beside the change. */
async function measure(scene: Scene, name: string, change: () => Promise<void>): Promise<void> {
  await scene.whole();
  add(alone, `${name}, before`, await scene.underLoad(NODES, rest));
  const before = heldBy(scene).length;
  let tookMs = 0;
  const seen = await scene.underLoad(NODES, async () => {
    const began = performance.now();
    await change();
    tookMs = performance.now() - began;
  });
  const held = heldBy(scene).slice(before);
  for (const { heldMs } of held) holds.note(heldMs);
  const longest = Math.max(0, ...held.map(({ heldMs }) => heldMs)).toFixed(1);
  add(changes, `${name}, ${(tookMs / 1_000).toFixed(1)} s, held ${held.length} times, at most ${longest} ms`, seen);
  for (const { beganMs } of held)
    if (beganMs !== undefined) console.log(`  the steps began after ${stepsText(beganMs)} ms`);
}

function stepsText(beganMs: NonNullable<Hold["beganMs"]>): string {
  return Object.entries(beganMs)
    .map(([step, ms]) => `${step} ${ms}`)
    .join(", ");
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}

function add(series: Series, what: string, seen: Seen): void {
  series.note(seen.slowestMs, seen);
  const { slowestMs, p99Ms, ownMs, requests, failed, lost, complaints } = seen;
  console.log(
    `${what}: p99 ${p99Ms.toFixed(1)} ms, slowest ${slowestMs.toFixed(1)} ms (the clients themselves ${ownMs.toFixed(1)}), ` +
      `${requests} requests, ${failed} failed, ${lost} lost`,
  );
  for (const complaint of complaints) console.log(`  ${complaint}`);
}

/** As a leader says it, in milliseconds. */
interface Hold {
  readonly heldMs: number;
  /** When each step began, of a change of the table. */
  readonly beganMs?: Readonly<Record<string, number>>;
}

/** How long clients were held by each change of a primary or of the table so far. */
function heldBy({ cluster }: Scene): readonly Hold[] {
  const lines = NODES.flatMap((node) => cluster.log(node).split("\n"));
  return lines
    .filter((line) => /"msg":"(switched over|other shards serve)"/.test(line))
    .map((line) => JSON.parse(line) as Hold & { readonly ts: string })
    .toSorted((one, other) => one.ts.localeCompare(other.ts));
}
