import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserModuleStatus } from "../../src/core/api/cluster-status.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { startModuleRepository } from "../kit/modules/module-repository.ts";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";

const VERSION = "8.2.0-12";
const REC = { name: "rec", namespace: "default" };

await using cluster = await startSimulatedCluster(VERSION, "v1.33.1");
const { kube } = cluster.world;
/** What the status said of the module whenever its archive was asked for. */
const asked: (UserModuleStatus | undefined)[] = [];
const repository = await startModuleRepository(async () => {
  asked.push((await kube.get(Clusters, REC))?.status?.userModules?.[0]);
});
await using stack = new AsyncDisposableStack();
stack.defer(() => repository.close());
await repository.admit(kube, REC.namespace, "login");
const source = { https: { url: repository.url("tally.zip"), credentialsSecret: "login" } };

await test("the attempt to install a module is in the status before its archive is asked for", async () => {
  await cluster.patch({ userDefinedModules: [{ name: "tally", source }] });
  const failed = await theModule("it is missing", ({ state }) => state === "Failed");
  assert.match(failed.message, /the server answers 404/);
  assert.deepEqual([asked[0]?.state, asked[0]?.attempts, failed.attempts], ["Installing", 1, 1]);
});

await test("the next operator counts on, and writes down its own attempt before it asks", async () => {
  await cluster.world.rest();
  asked.length = 0;
  await cluster.world.operate(VERSION);
  await theModule("it is tried again", ({ attempts }) => attempts === 2 && asked.length > 0);
  assert.deepEqual([asked[0]?.state, asked[0]?.attempts], ["Failed", 2]);
});

await test("an archive with another sha256 than the spec has is not installed", async () => {
  repository.put("tally.zip", await tallyArchive({ compatible: "7.2" }));
  const sha256 = "0".repeat(64);
  await cluster.patch({ userDefinedModules: [{ name: "tally", source, sha256 }] });
  const refused = await theModule("it is another one", ({ message }) => message.includes(sha256));
  assert.match(refused.message, /its archive has the sha256 [0-9a-f]{64}, and spec\.userDefinedModules says 0{64}/);
});

async function theModule(what: string, claim: (module: UserModuleStatus) => boolean): Promise<UserModuleStatus> {
  const of = (modules: readonly UserModuleStatus[] = []): UserModuleStatus | undefined => modules.find(claim);
  const { status } = await cluster.world.cluster(what, (rec) => of(rec.status?.userModules) !== undefined);
  const found = of(status?.userModules);
  assert.ok(found !== undefined);
  return found;
}
