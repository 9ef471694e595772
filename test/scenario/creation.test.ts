import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 40_000, everyMs: 50 };
const BODY = { memory_size: 20_000_000, redis_version: "7.2", module_list: [{ module_name: "tally" }] } as const;

await using cluster = await startTestCluster();

await test("a database whose engine cannot load its module fails to be made and says why, and is made once the module is mended", async () => {
  await upload("1.0.0", Buffer.from("\x7fELF and no shared object"));
  const failed = await failing("counts");
  assert.match(
    failed.waiting_for,
    /^the engine of "counts" on node \d has ended 3 times before it served: Module .* failed to load: .*file too short/,
  );
  const isShown = async (): Promise<boolean> => {
    const [shard] = (await cluster.client.call("shards")).filter(({ bdb_uid }) => bdb_uid === failed.uid);
    return (shard?.failed_starts ?? 0) >= 3 && /failed to load/.test(shard?.last_words ?? "");
  };
  await until("its shard shows it", isShown, PATIENCE);
  assert.deepEqual(failed.module_list, [{ module_name: "tally", semantic_version: "", module_args: "" }]);
  const action = await cluster.client.call("action", { params: { uid: failed.action_uid } });
  assert.deepEqual([action.name, action.status, action.error], ["create_bdb", "failed", failed.waiting_for]);

  const other = await failing("unwanted");
  await cluster.client.call("deleteBdb", { params: { uid: other.uid } });
  await until("it is gone", async () => (await cluster.client.call("bdbs")).length === 1, PATIENCE);

  await upload("1.0.1");
  await until("it is made", async () => (await read(failed.uid)).status === "active", PATIENCE);
  const made = await read(failed.uid);
  assert.deepEqual([made.waiting_for, made.loss_reports], ["", []]);
  const isCompleted = async (): Promise<boolean> => {
    const ended = await cluster.client.call("action", { params: { uid: failed.action_uid } });
    return ended.status === "completed" && ended.progress === 100;
  };
  await until("its action is completed", isCompleted, PATIENCE);
});

async function upload(version: string, library?: Buffer): Promise<void> {
  const module = await tallyArchive({ compatible: "7.2", version, ...(library && { library }) });
  const { action_uid: uid } = await cluster.client.call("uploadModule", { body: { module: new Blob([module]) } });
  const isThere = async (): Promise<boolean> =>
    (await cluster.client.call("action", { params: { uid } })).status === "completed";
  await until("every node has the module", isThere, PATIENCE);
}

async function failing(name: string): Promise<BdbRecord> {
  const { uid } = await cluster.client.call("createBdb", { body: { ...BODY, name } });
  await until("its creation has failed", async () => (await read(uid)).status === "creation-failed", PATIENCE);
  return read(uid);
}

function read(uid: number): Promise<BdbRecord> {
  return cluster.client.call("bdb", { params: { uid } });
}
