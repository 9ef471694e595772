import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../kit/engines/service.ts";
import { libraries } from "../kit/clients/libraries.ts";
import { startRecorder, type Recorder } from "../kit/clients/recorders.ts";
import { check } from "../kit/linearizability/check.ts";
import { allowResends, byKey, type Operation } from "../kit/linearizability/history.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { acceptingNodes, comeBack, evacuate, upgradeDatabase } from "../kit/world/maintenance.ts";
import { kubeOf } from "../kit/world/records.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
/** How often the primary moves; `MOVES` chooses another number. */
const moves = Number(process.env["MOVES"] ?? 6);
/** Of how many shards the database is; `SHARDS` chooses another number. */
const shards = Number(process.env["SHARDS"] ?? 1);

/** What the settings of docs/upgrades.md give a request: go-redis and redis-py then send it again, and it may be executed twice. */
const SENT_AGAIN_AFTER_MS = 10_000;

/** Reports an exchange as failed that was on its way when the server ended the connection: it is not asked to move. */
const gaveUp = ({ client, act }: Operation): boolean =>
  (client.startsWith("node-redis") || client.startsWith("go-redis")) && act.kind === "exchange";

const { found, missing } = await libraries(["ioredis", "node-redis", "redis-py", "go-redis"]);
await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 2 * shards, PATIENCE.withinMs);
const { uid, port } = await cluster.create({
  name: "linear",
  memory_size: shards * 50_000_000,
  shards_count: shards,
  replication: true,
  redis_version: "7.2",
});

await using service = await startService(port, () => acceptingNodes(cluster));

await test(`while primaries move and the version changes, ${found.map(({ name }) => name).join(", ")} see one order of all operations`, async () => {
  await using stack = new AsyncDisposableStack();
  const recorders: Recorder[] = [];
  for (const library of found)
    for (const number of [1, 2, 3])
      recorders.push(stack.use(startRecorder(library, service, `${library.name}-${number}`)));
  await until("every client is at work", () => recorders.every(({ operations }) => operations.length > 50), PATIENCE);
  for (let move = 0; move < moves; move += 1) {
    if (move === Math.floor(moves / 2)) await upgradeDatabase(cluster, uid, "8.0");
    else await movePrimary();
  }
  await Promise.all(recorders.map((recorder) => recorder.stop()));
  const operations = recorders.flatMap((recorder) => recorder.operations);
  assert.deepEqual(
    operations.filter((operation) => operation.end === undefined && !gaveUp(operation)),
    [],
    `every outcome is known: ${recorders.flatMap(({ failures }) => failures).join("; ")}`,
  );
  for (const [key, history] of byKey(allowResends(operations, SENT_AGAIN_AFTER_MS))) {
    const verdict = check(history);
    assert.equal(verdict.kind, "linearizable", `${key}: ${JSON.stringify(verdict, undefined, 1)}`);
  }
  assert.ok(operations.length > 3_000, `only ${operations.length} operations`);
});

await test(
  "the libraries of each language are there",
  { skip: missing.length === 0 ? false : missing.join("; ") },
  () => {
    assert.equal(found.length, 4);
  },
);

/** The node of a primary goes into maintenance and comes back. */
async function movePrimary(): Promise<void> {
  const node = nodeOf(primaryOf(await cluster.shards(uid)));
  await evacuate(cluster, node);
  const isLeft = async (): Promise<boolean> =>
    (await cluster.shards(uid)).every((one) => one.role !== "master" || nodeOf(one) !== node);
  await until("other nodes have the primaries", isLeft, PATIENCE);
  await comeBack(cluster, node);
}
