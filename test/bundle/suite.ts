import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { OPERATOR_NAME } from "../../src/core/api/names.ts";
import { silentLog } from "#kit/base/log";
import { ConfigMaps, Deployments, Events } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { runOperator } from "../../src/programs/operator/run.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { until } from "#kit/testing/until";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";
import type { TestServer } from "../api-servers/test-server.ts";

const BUNDLE = join(import.meta.dirname, "../../deploy/bundle.yaml");

const SAMPLES = join(import.meta.dirname, "../../deploy/samples");
const CLUSTER = `apply -f ${join(SAMPLES, "cluster.yaml")}`;
const DATABASE = `apply -f ${join(SAMPLES, "database.yaml")}`;
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

/** What users do with the bundle of a release on a Kubernetes that runs no pods. */
export async function bundleSuite(server: TestServer): Promise<void> {
  await applyTests(server);
  await serverSideTests(server);
  await deleteTests(server);
}

async function applyTests(server: TestServer): Promise<void> {
  await test("the lines of §4.1: each object once, with its kind", async () => {
    const lines = linesOf(await run(server, "apply"));
    const named = lines.filter((line) => line.includes("/store-enterprise-operator ") || line.includes("definition"));
    assert.deepEqual(
      named.filter((line) => !/activeactive|remoteclusters|backups|restores/.test(line)),
      [
        "role.rbac.authorization.k8s.io/store-enterprise-operator created",
        "rolebinding.rbac.authorization.k8s.io/store-enterprise-operator created",
        "serviceaccount/store-enterprise-operator created",
        "customresourcedefinition.apiextensions.k8s.io/storeenterpriseclusters.app.storeenterprise.io created",
        "customresourcedefinition.apiextensions.k8s.io/storeenterprisedatabases.app.storeenterprise.io created",
        "deployment.apps/store-enterprise-operator created",
      ],
    );
    assert.equal(new Set(lines).size, lines.length);
    await remove(server);
  });

  await test("applied again it changes nothing, and there is no difference", async () => {
    const objects = linesOf(await run(server, "apply")).length;
    assert.deepEqual(
      words(await run(server, "apply")),
      Array.from({ length: objects }, () => "unchanged"),
    );
    assert.equal(await run(server, "diff"), "");
    await remove(server);
  });
}

async function serverSideTests(server: TestServer): Promise<void> {
  for (const [first, second] of [
    ["apply", "apply --server-side"],
    ["apply --server-side", "apply"],
    ["apply --server-side", "apply --server-side"],
  ] as const) {
    await test(`${second} goes after ${first}, without conflict and without a difference`, async () => {
      await run(server, first);
      await run(server, second);
      for (const how of ["diff", "diff --server-side"]) assert.equal(await run(server, how), "", how);
      await run(server, first);
      assert.equal(await run(server, "diff"), "");
      await remove(server);
    });
  }
}

async function deleteTests(server: TestServer): Promise<void> {
  await test("deleted it leaves nothing behind, and no delete waits", async () => {
    const applied = linesOf(await run(server, "apply"));
    const deleted = linesOf(await remove(server));
    assert.equal(deleted.length, applied.length);
    assert.equal(await leftOf(server.kubectl), "");
  });

  await test("deleted while there are a cluster and a database it goes too, and what holds data stays", async () => {
    await run(server, "apply");
    await using _operator = await startOperator(server);
    const { kube } = server;
    const record = { name: "rec-cluster", namespace: "default", labels: { "storeenterprise.io/cluster": "rec" } };
    await kube.create(ConfigMaps, { metadata: record, data: { record: "{}" } });
    await isServed(server.kubectl);
    await server.kubectl(CLUSTER);
    await server.kubectl(DATABASE);
    await until("both are taken on", async () => (await held(kube)) === 2, PATIENCE);
    const stays = async (): Promise<boolean> => {
      const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace: "default" });
      return (deployment?.metadata.finalizers ?? []).length === 1;
    };
    await until("the operator is held until it has removed its finalizers", stays, PATIENCE);
    assert.equal(await run(server, "diff"), "");

    const deleted = linesOf(await run(server, "delete --timeout=25s"));
    assert.ok(deleted.length >= 8, deleted.join(", "));
    assert.equal(await leftOf(server.kubectl), "");
    const { items } = await kube.list(Events, { namespace: "default" });
    const reported = items
      .filter(({ reason }) => reason === "OperatorDeleted")
      .map(({ involvedObject }) => involvedObject.kind);
    assert.deepEqual(reported.toSorted(), ["StoreEnterpriseCluster", "StoreEnterpriseDatabase"]);
    assert.ok(await kube.get(ConfigMaps, record), "the record of the cluster is gone");
    await kube.delete(ConfigMaps, record);
  });

  await test("the operator is held by nothing once the last cluster is gone", async () => {
    await run(server, "apply");
    await using _operator = await startOperator(server);
    const { kube } = server;
    await isServed(server.kubectl);
    // objects of "rec" may be left where no controller collects them, and a cluster of its name does not take them
    await kube.create(Clusters, { metadata: { name: "next", namespace: "default" }, spec: {} });
    await until("it is taken on", async () => (await held(kube)) === 1, PATIENCE);
    await server.kubectl("delete rec next --timeout=25s");
    const isFree = async (): Promise<boolean> => {
      const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace: "default" });
      return (deployment?.metadata.finalizers ?? []).length === 0;
    };
    await until("nothing holds the operator", isFree, PATIENCE);
    await remove(server);
  });
}

/** A kubectl command on the file of the bundle. */
function run(server: TestServer, line: string): Promise<string> {
  return server.kubectl(`${line} -f ${BUNDLE}`);
}

async function remove(server: TestServer): Promise<string> {
  await isServed(server.kubectl);
  return run(server, "delete --ignore-not-found --timeout=30s");
}

/**
 * Waits until objects of each kind can be listed. A definition that is deleted before that stays for minutes on a busy server: its cleanup fails
 * once, comes again too soon to see its own note of that, and takes the conflict for the turn of another writer (Kubernetes 1.33).
 */
function isServed(kubectl: Kubectl): Promise<void> {
  const lists = async (): Promise<boolean> =>
    (await kubectl.run("get rec,redb,reaadb,rerc,rebackup,rebackupschedule,rerestore")).code === 0;
  return until("the definitions are served", lists, PATIENCE);
}

/** The operator of the bundle, as its account, in this process. */
async function startOperator(server: TestServer): Promise<AsyncDisposable> {
  const namespace = "default";
  const kube = await connectAs(server, namespace, OPERATOR_NAME);
  const stop = new AbortController();
  const config = { namespace, identity: "test", address: loopbackAddress(), release: latestRelease() };
  const ended = runOperator({ kube, clock: systemClock, log: silentLog, config }, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the test ends it"));
      await ended;
      await kube.close();
    },
  };
}

/** How many clusters and databases have a finalizer. */
async function held(kube: Kube): Promise<number> {
  const lists = await Promise.all([kube.list(Clusters), kube.list(Databases)]);
  return lists
    .flatMap(({ items }) => items as { metadata: { finalizers?: string[] } }[])
    .filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;
}

async function leftOf(kubectl: Kubectl): Promise<string> {
  return (await kubectl.run(`get -f ${BUNDLE} --ignore-not-found -o name`)).stdout;
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The last word of each line. */
function words(text: string): string[] {
  return linesOf(text).map((line) => line.split(" ").at(-1) ?? "");
}
