// Planned moves under load: `npm run bench:moves -- [moves] [upgrades] [rolls] [--json moves.json]`. Prints each, then a table: how long the slowest
// request of clients took that stayed connected, and what failed or was lost. "at rest" is the same load for as long without a move: what
// the machine and the clients add by themselves. Exits with 1 when anything failed or was lost.
import { commandLine } from "./command-line.ts";
import type { Seen } from "./database/load.ts";
import { nodesBeside, startScene, type Scene } from "./database/scene.ts";
import { conclude, Series } from "./database/table.ts";

const { counts, options } = commandLine({ json: "moves.json" }, [
  ["moves", 50],
  ["upgrades", 5],
  ["rolls", 2],
]);
const [moves = 0, upgrades = 0, rolls = 0] = counts;
/** One time at rest for so many moves. */
const REST_EVERY = 10;

const rest = new Series("at rest");
const all = [rest, await movePrimaries(moves), await upgradeVersions(upgrades), await rollNodes(rolls)];
conclude("slowest request", all, options.json);
if (all.some(({ failed, lost }) => failed + lost > 0)) process.exitCode = 1;

/** The node of the primary goes into maintenance and comes back; clients of the other nodes write. */
async function movePrimaries(count: number): Promise<Series> {
  const series = new Series("moves");
  if (count === 0) return series;
  await using scene = await startScene("8.0");
  for (let move = 0; move < count; move += 1) {
    await scene.whole();
    const node = await scene.primaryNode();
    let tookMs = 0;
    const seen = await scene.underLoad(nodesBeside(node), async () => {
      tookMs = await leave(scene, node);
    });
    await scene.cluster.client.call("maintenanceOff", { params: { uid: node } });
    add(series, count, seen);
    if (move % REST_EVERY === 0) await measureRest(scene, node, Math.ceil(count / REST_EVERY), tookMs);
  }
  return series;
}

async function measureRest(scene: Scene, node: number, of: number, ms: number): Promise<void> {
  await scene.whole();
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  add(rest, of, await scene.underLoad(nodesBeside(node), pause));
}

/** A database goes to a newer version, by a further replica and a change of the primary; clients of all nodes write. Each in a cluster of its own. */
async function upgradeVersions(count: number): Promise<Series> {
  const series = new Series("upgrades");
  for (let upgrade = 0; upgrade < count; upgrade += 1) {
    await using scene = await startScene("7.2");
    await scene.whole();
    const { uid, cluster } = scene;
    const seen = await scene.underLoad([1, 2, 3], async () => {
      const body = { store_version: "8.0" };
      await scene.completed((await cluster.client.call("upgradeBdb", { params: { uid }, body })).action_uid);
    });
    add(series, count, seen);
  }
  return series;
}

/** Each node leaves, is started anew and comes back, one after the other, as the operator does it; clients of the other two nodes write meanwhile. */
async function rollNodes(count: number): Promise<Series> {
  const series = new Series("rolls");
  if (count === 0) return series;
  await using scene = await startScene("8.0");
  for (let roll = 0; roll < count; roll += 1) {
    const seen: Seen[] = [];
    for (const node of [1, 2, 3]) {
      await scene.whole();
      seen.push(await scene.underLoad(nodesBeside(node), () => restart(scene, node)));
    }
    add(series, count, together(seen));
  }
  return series;
}

async function restart(scene: Scene, node: number): Promise<void> {
  const { cluster } = scene;
  await leave(scene, node);
  await cluster.stop(node);
  await cluster.start(node);
  await cluster.client.call("maintenanceOff", { params: { uid: node } });
  await scene.whole();
}

/** Nothing of the node serves clients any more; milliseconds until then. */
async function leave({ cluster, completed }: Scene, uid: number): Promise<number> {
  const began = performance.now();
  const body = { demote_node: true };
  await completed((await cluster.client.call("maintenanceOn", { params: { uid }, body })).action_uid);
  return performance.now() - began;
}

function together(parts: readonly Seen[]): Seen {
  const total = (of: (part: Seen) => number): number => parts.reduce((sum, part) => sum + of(part), 0);
  return {
    slowestMs: Math.max(...parts.map(({ slowestMs }) => slowestMs)),
    p99Ms: Math.max(...parts.map(({ p99Ms }) => p99Ms)),
    ownMs: Math.max(...parts.map(({ ownMs }) => ownMs)),
    requests: total(({ requests }) => requests),
    failed: total(({ failed }) => failed),
    lost: total(({ lost }) => lost),
    complaints: parts.flatMap(({ complaints }) => complaints),
  };
}

function add(series: Series, of: number, seen: Seen): void {
  series.add(of, seen.slowestMs, seen, `the clients themselves ${seen.ownMs.toFixed(1)}`);
}
