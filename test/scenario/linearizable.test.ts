import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../kit/engines/service.ts";
import { libraries, startRecorder, type Recorder } from "../kit/clients/recorders.ts";
import { check } from "../kit/linearizability/check.ts";
import { byKey, type Operation } from "../kit/linearizability/history.ts";
import { until } from "../kit/time/until.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
/** How often the primary moves; `MOVES` chooses another number. */
const moves = Number(process.env["MOVES"] ?? 6);

/** Reports an exchange as failed that was on its way when the server ended the connection: it is not asked to move. */
const gaveUp = ({ client, act }: Operation): boolean =>
  (client.startsWith("node-redis") || client.startsWith("go-redis")) && act.kind === "exchange";

const { found, missing } = await libraries();
await using cluster = await startTestCluster();
const { uid, port } = await cluster.create({
  name: "linear",
  memory_size: 50_000_000,
  replication: true,
  redis_version: "7.2",
});

await using service = await startService(port, acceptingNodes);

await test(`while primaries move and the version changes, ${found.map(({ name }) => name).join(", ")} see one order of all operations`, async () => {
  await using stack = new AsyncDisposableStack();
  const recorders: Recorder[] = [];
  for (const library of found)
    for (const number of [1, 2, 3])
      recorders.push(stack.use(startRecorder(library, service, `${library.name}-${number}`)));
  await until("every client is at work", () => recorders.every(({ operations }) => operations.length > 50), PATIENCE);
  for (let move = 0; move < moves; move += 1) {
    if (move === Math.floor(moves / 2)) await upgrade();
    else await movePrimary();
  }
  await Promise.all(recorders.map((recorder) => recorder.stop()));
  const operations = recorders.flatMap((recorder) => recorder.operations);
  assert.deepEqual(
    operations.filter((operation) => operation.end === undefined && !gaveUp(operation)),
    [],
    "every outcome is known",
  );
  for (const [key, history] of byKey(operations)) {
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

/** As a Service would: each connection goes to a node that accepts clients. */
async function acceptingNodes(): Promise<readonly string[]> {
  const nodes = await cluster.client.call("nodes");
  return nodes.filter((node) => node.accepts_clients && !node.maintenance).map(({ addr }) => addr);
}

/** The node of the primary goes into maintenance and comes back. */
async function movePrimary(): Promise<void> {
  const node = await primaryNode();
  const params = { uid: node };
  await completed((await cluster.client.call("maintenanceOn", { params, body: { demote_node: true } })).action_uid);
  assert.notEqual(await primaryNode(), node);
  await cluster.client.call("maintenanceOff", { params });
  const accepts = async (): Promise<boolean> => {
    const { maintenance, accepts_clients } = await cluster.client.call("node", { params });
    return accepts_clients && !maintenance;
  };
  await until("the node accepts clients again", accepts, PATIENCE);
}

async function upgrade(): Promise<void> {
  const { action_uid } = await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
  await completed(action_uid);
}

async function completed(action: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const { status } = await cluster.client.call("action", { params: { uid: action } });
    assert.notEqual(status, "failed");
    return status === "completed";
  };
  await until(`action ${action} is completed`, isDone, PATIENCE);
}

async function primaryNode(): Promise<number> {
  return nodeOf(primaryOf(await cluster.shards(uid)));
}
