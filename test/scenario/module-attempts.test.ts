import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserModuleStatus } from "../../src/core/api/cluster-status.ts";
import { MODULE_HOSTS_ANNOTATION } from "../../src/core/api/names.ts";
import { Secrets } from "#kit/kube/builtin";
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
/** The server does not answer to "/slow.zip" before this. */
const slow = Promise.withResolvers<undefined>();
const repository = await startModuleRepository(async (path) => {
  if (path === "/slow.zip") await slow.promise;
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

await test("a login is sent to no host for which its owner has not given it, and to one once it is given", async () => {
  const secret = { name: "of-an-application", namespace: REC.namespace };
  const kept = await kube.get(Secrets, { name: "login", namespace: REC.namespace });
  await kube.create(Secrets, { metadata: secret, type: "Opaque", data: kept?.data ?? {} });
  const refused = async (credentialsSecret: string, says: RegExp) => {
    asked.length = 0;
    const https = { url: repository.url(`${credentialsSecret}.zip`), credentialsSecret };
    await cluster.patch({ userDefinedModules: [{ name: "tally", source: { https } }] });
    const { message } = await theModule(credentialsSecret, ({ state, url }) => state === "Failed" && url === https.url);
    assert.match(message, says);
    assert.equal(asked.length, 0);
  };
  await refused("rec", /the Secret "rec" is used by StoreEnterpriseCluster rec/);
  await refused("admission-tls", /used by the admission webhook/);
  await refused(
    secret.name,
    /kubectl annotate secret of-an-application --overwrite storeenterprise\.io\/module-hosts=localhost:\d+$/,
  );
  const annotations = { [MODULE_HOSTS_ANNOTATION]: new URL(repository.url("")).host };
  await kube.patch(Secrets, secret, { type: "merge", body: { metadata: { annotations } } });
  await theModule("its owner has given it", ({ message }) => /the server answers 404/.test(message));
  assert.notEqual(asked.length, 0);
});

await test("while a server of modules does not answer, the cluster takes up other edits, and an edit ends the wait for the archive", async () => {
  const listed = (file: string) => ({
    name: "tally",
    source: { https: { url: repository.url(file), credentialsSecret: "login" } },
  });
  await cluster.patch({ userDefinedModules: [listed("slow.zip")] });
  await theModule("it is asked for", ({ url, attempts }) => url === repository.url("slow.zip") && attempts === 1);
  await cluster.patch({ userDefinedModules: [listed("slow.zip"), { ...listed("other.zip"), name: "other" }] });
  await cluster.world.cluster("the edit is taken up", ({ metadata, status }) => {
    return status?.observedGeneration === metadata.generation;
  });
  await cluster.patch({ userDefinedModules: [listed("none.zip")] });
  const { message } = await theModule("the next one is tried", ({ state, url }) => {
    return state === "Failed" && url === repository.url("none.zip");
  });
  assert.match(message, /the server answers 404/);
  slow.resolve(undefined);
});

async function theModule(what: string, claim: (module: UserModuleStatus) => boolean): Promise<UserModuleStatus> {
  const of = (modules: readonly UserModuleStatus[] = []): UserModuleStatus | undefined => modules.find(claim);
  const { status } = await cluster.world.cluster(what, (rec) => of(rec.status?.userModules) !== undefined);
  const found = of(status?.userModules);
  assert.ok(found !== undefined);
  return found;
}
