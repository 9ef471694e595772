import assert from "node:assert/strict";
import { test } from "node:test";
import { libraries } from "../kit/clients/libraries.ts";
import { startRecorder, type Recorder } from "../kit/clients/recorders.ts";
import { startService } from "../kit/engines/service.ts";
import { check } from "../kit/linearizability/check.ts";
import { byKey } from "../kit/linearizability/history.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { becomesInSync, crashPrimary, crashReplica } from "../kit/world/crashes.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { acceptingNodes } from "../kit/world/maintenance.ts";
import { kubeOf } from "../kit/world/records.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
/** How often an engine is killed; `CRASHES` chooses another number. */
const crashes = Number(process.env["CRASHES"] ?? 4);
/** Of how many shards the database is: their engines are killed in turn, so they need that many crashes. `SHARDS` chooses another number. */
const shards = Number(process.env["SHARDS"] ?? 1);
/** Operations between two crashes. */
const BETWEEN = 300;

const { found } = await libraries(["ioredis", "node-redis", "redis-py", "go-redis"]);
await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 2 * shards, PATIENCE.withinMs);
const { uid, port } = await cluster.create({
  name: "linear",
  memory_size: shards * 50_000_000,
  shards_count: shards,
  replication: true,
  durability: "sync",
});
await using service = await startService(port, () => acceptingNodes(cluster));

await test(`while engines crash and replies wait for replicas, ${found.map(({ name }) => name).join(", ")} see one order of all operations`, async () => {
  await using stack = new AsyncDisposableStack();
  await becomesInSync(kube, cluster, uid);
  const recorders: Recorder[] = [];
  for (const library of found)
    for (const number of [1, 2])
      recorders.push(stack.use(startRecorder(library, service, `${library.name}-${number}`, "once")));
  const count = (): number => recorders.reduce((all, { operations }) => all + operations.length, 0);
  await until("every client is at work", () => recorders.every(({ operations }) => operations.length > 20), PATIENCE);
  for (let crash = 0; crash < crashes; crash += 1) {
    const before = count();
    await until("clients are at work", () => count() > before + BETWEEN, PATIENCE);
    await becomesInSync(kube, cluster, uid);
    if (crash % 3 === 1) await crashReplica(kube, cluster, uid, crash % shards);
    else await crashPrimary(cluster, uid, crash % shards);
  }
  const last = count();
  await until("clients are at work behind the last crash", () => count() > last + BETWEEN, PATIENCE);
  await Promise.all(recorders.map((recorder) => recorder.stop()));
  const operations = recorders.flatMap((recorder) => recorder.operations);
  assert.ok(
    operations.some(({ end }) => end === undefined),
    "a crash left a client without an answer",
  );
  for (const [key, history] of byKey(operations)) {
    const verdict = check(history);
    assert.equal(verdict.kind, "linearizable", `${key}: ${JSON.stringify(verdict, undefined, 1)}`);
  }
  assert.deepEqual((await cluster.client.call("bdb", { params: { uid } })).loss_reports, []);
});
