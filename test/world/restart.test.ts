import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { StoreEnterpriseDatabase } from "../../src/core/api/kinds.ts";
import { LABELS } from "../../src/core/api/names.ts";
import type { DatabaseRecord } from "../../src/core/api/records.ts";
import { ConfigMaps, Secrets, Services } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { applyManifest } from "#kit/kube/manifest";
import { demoCluster } from "../../src/programs/demo/steps/objects.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { callEngine, connectEngine, type EngineOptions } from "../../src/ports/resp/engine-client.ts";
import { until } from "#kit/testing/until";
import { STORECTL } from "../kit/programs.ts";

const NAMESPACE = "default";
const NAMES = ["orders", "ledger"] as const;
const KEYS = 500;

test("databases whose engines were all down come back with their data after a stop and after a kill", async () => {
  await using world = await ownWorld();
  await withKube(world, async (kube) => {
    await install(kube);
    for (const name of NAMES) {
      await fill(await serving(kube, name));
      await until(`${name} is ready`, () => isReady(kube, name), { withinMs: 90_000, everyMs: 100 });
    }
  });
  await world.storectl("down");
  await withKube(world, async (kube) => {
    for (const name of NAMES) {
      await assertFull(await serving(kube, name));
      assert.deepEqual(await losses(kube, name), [], name);
    }
  });

  const { pid } = JSON.parse(await world.storectl("status", "-o", "json"));
  process.kill(pid, "SIGKILL");
  await until("the world is gone", async () => /stopped/.test(await world.storectl("status")), { everyMs: 100 });
  await withKube(world, async (kube) => {
    for (const name of NAMES) await assertFull(await serving(kube, name)); // written long before the kill
    assert.deepEqual(await losses(kube, "ledger"), []);
    assert.match((await losses(kube, "orders"))[0] ?? "", /writes of its last second may be missing/);
  });
});

/** A world of `storectl local` in a folder of its own. */
interface OwnWorld extends AsyncDisposable {
  readonly dir: string;
  storectl(...args: readonly string[]): Promise<string>;
}

async function ownWorld(): Promise<OwnWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "restart-"))).path;
  const env = { ...process.env, STORE_LOCAL_DIR: dir };
  const storectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [STORECTL, "local", ...args], { env, timeout: 180_000 })).stdout;
  stack.defer(async () => void (await storectl("down")));
  const owned = stack.move();
  return { dir, storectl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function install(kube: Kube): Promise<void> {
  const release = latestRelease();
  await applyManifest(kube, bundleFor(release), NAMESPACE, "test");
  await kube.create(Clusters, demoCluster(release.nodeTag));
  await kube.create(Databases, database("orders", { replication: true, persistence: "aofEverySecond" }));
  await kube.create(Databases, database("ledger", { persistence: "aofAlways" }));
}

function database(
  name: string,
  spec: Partial<StoreEnterpriseDatabase["spec"]>,
): StoreEnterpriseDatabase & { metadata: { name: string; namespace: string } } {
  return { metadata: { name, namespace: NAMESPACE }, spec: { memorySize: "100MB", storeVersion: "7.2", ...spec } };
}

/** Starts the world, and closes the client afterwards. */
async function withKube(world: OwnWorld, act: (kube: Kube) => Promise<void>): Promise<void> {
  await world.storectl("up");
  const kube = connect(loadKubeConfig({ KUBECONFIG: join(world.dir, "kubeconfig") }));
  try {
    await act(kube);
  } finally {
    await kube.close();
  }
}

async function isReady(kube: Kube, name: string): Promise<boolean> {
  const redb = await kube.get(Databases, { name, namespace: NAMESPACE });
  return (redb?.status?.conditions ?? []).some(({ type, reason }) => type === "Ready" && reason === "Active");
}

/** Where clients reach the database, once it answers there. */
async function serving(kube: Kube, name: string): Promise<EngineOptions> {
  let found: EngineOptions | undefined;
  await until(
    `${name} serves`,
    async () => {
      found = await endpoint(kube, name);
      return found !== undefined && (await callEngine(found, "PING").catch(notYet)) === "PONG";
    },
    { withinMs: 90_000, everyMs: 100 },
  );
  assert.ok(found !== undefined);
  return found;
}

async function endpoint(kube: Kube, name: string): Promise<EngineOptions | undefined> {
  const ref = { namespace: NAMESPACE, name };
  const [service, secret] = await Promise.all([
    kube.get(Services, ref),
    kube.get(Secrets, { namespace: NAMESPACE, name: `redb-${name}` }),
  ]);
  const { clusterIP: host, ports } = service?.spec ?? {};
  const port = ports?.[0]?.port;
  if (host === undefined || port === undefined) return undefined;
  const password = Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
  return { host, port, password, timeoutMs: 2_000 };
}

/** What its record says that crashes may have cost; the record is written before an engine starts again. */
async function losses(kube: Kube, name: string): Promise<readonly string[]> {
  const labelSelector = `${LABELS.record}=database`;
  const { items } = await kube.list(ConfigMaps, { namespace: NAMESPACE, labelSelector });
  const records = items.map(({ data }): DatabaseRecord => JSON.parse(data?.["record"] ?? "{}"));
  return records.find((record) => record.name === name)?.lossReports ?? ["no record"];
}

async function fill(options: EngineOptions): Promise<void> {
  const client = await connectEngine(options);
  await Promise.all(Array.from({ length: KEYS }, (_, key) => client.call("SET", `key ${key}`, `value ${key}`)));
  client.close();
}

async function assertFull(options: EngineOptions): Promise<void> {
  assert.equal(await callEngine(options, "DBSIZE"), KEYS);
  assert.equal(await callEngine(options, "GET", `key ${KEYS - 1}`), `value ${KEYS - 1}`);
}

function notYet(): undefined {
  return undefined;
}
