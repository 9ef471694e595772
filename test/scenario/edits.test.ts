import assert from "node:assert/strict";
import { test } from "node:test";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { startClients } from "../../src/programs/demo/load/clients.ts";
import type { Load } from "../../src/programs/demo/load/clients.ts";
import { Secrets, Services } from "#kit/kube/builtin";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";
import type { StorectlWorld } from "../kit/world/storectl-world.ts";

const REDB = { name: "orders", namespace: "default" };
/** The new one is accepted within five, and on a slow machine later. */
const OVERLAP_SECONDS = 15;

interface Scene {
  readonly world: StorectlWorld;
  readonly at: { readonly host: string; readonly port: number };
}

test("edits of a database that exists are applied under load, and none is ignored", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startStorectlWorld(latestRelease()));
  const scene = { world, at: await endpoint(world) };
  await edit(world, { passwordOverlapSeconds: OVERLAP_SECONDS });
  const load = await startClients({
    ...scene.at,
    password: await held(world, "redb-orders"),
    connections: 12,
    gapMs: 2,
  });
  stack.defer(() => {
    load.abort();
  });
  await steps<Scene>(scene, {
    "parameters of the engines are what the endpoint shows, and can be taken back": changeParameters,
    "what a client sets is seen in the status, stays, and the definition has the last word": setByClient,
    "a password that changes in the Secret is accepted within five seconds, and the former one until the overlap ends":
      changeSecret,
    "another Secret that is not there is reported, and applied within five seconds once it is": nameSecret,
    "a Secret without a password is reported, and the database keeps its own": emptySecret,
  });
  await requireUnharmed(load);
});

async function changeParameters({ world, at }: Scene): Promise<void> {
  const password = await held(world, "redb-orders");
  const shown = () => callEngine({ ...at, password, timeoutMs: 2_000 }, "CONFIG", "GET", "slowlog-max-len");
  const shows = async (value: string) => JSON.stringify(await shown()) === JSON.stringify(["slowlog-max-len", value]);
  await edit(world, { engineParameters: { "slowlog-max-len": "256" } });
  await until("the parameter is set", () => shows("256"), PATIENCE);
  await edit(world, { engineParameters: null });
  await until("the parameter is taken back", () => shows("128"), PATIENCE);
}

async function setByClient({ world, at }: Scene): Promise<void> {
  const password = await held(world, "redb-orders");
  const ask = (...words: readonly string[]) => callEngine({ ...at, password, timeoutMs: 8_000 }, "CONFIG", ...words);
  assert.equal(await ask("SET", "notify-keyspace-events", "Ex", "slowlog-max-len", "64"), "OK");
  const shown = async () => JSON.stringify((await redb(world)).status?.clientParameters ?? {});
  const both = JSON.stringify({ "notify-keyspace-events": "xE", "slowlog-max-len": "64" });
  await until("the status shows both", async () => (await shown()) === both, PATIENCE);
  await edit(world, { engineParameters: { "slowlog-max-len": "256" } });
  const length = async () => JSON.stringify(await ask("GET", "slowlog-max-len"));
  await until("the definition counts", async () => (await length()).includes("256"), PATIENCE);
  await assert.rejects(ask("SET", "slowlog-max-len", "64", "notify-keyspace-events", ""), /PROXY_PARAMETER_DEFINED/);
  assert.deepEqual(await ask("GET", "notify-keyspace-events"), ["notify-keyspace-events", "xE"]);
  await edit(world, { engineParameters: null });
  await until("what the client has set counts again", async () => (await length()).includes("64"), PATIENCE);
  assert.equal(await ask("SET", "notify-keyspace-events", "", "slowlog-max-len", "128"), "OK");
  await until("the status shows nothing", async () => (await shown()) === "{}", PATIENCE);
}

async function changeSecret({ world, at }: Scene): Promise<void> {
  const former = await held(world, "redb-orders");
  await write(world, "redb-orders", "changed-in-place");
  await acceptedWithin5s(at, "changed-in-place");
  assert.equal(await letsIn(at, former), true);
  await until("the overlap ends", async () => !(await letsIn(at, former)), PATIENCE);
  assert.equal(await letsIn(at, "changed-in-place"), true);
}

async function nameSecret({ world, at }: Scene): Promise<void> {
  await edit(world, { databaseSecretName: "orders-login" });
  const isReported = async () =>
    (await redb(world)).status?.findings?.some(({ id }) => id === "DatabaseSecretMissing") ?? false;
  await until("the missing Secret is reported", isReported, PATIENCE);
  assert.equal(await letsIn(at, "changed-in-place"), true);
  const data = { password: Buffer.from("by-another-name").toString("base64") };
  await world.kube.create(Secrets, { metadata: { name: "orders-login", namespace: REDB.namespace }, data });
  await acceptedWithin5s(at, "by-another-name");
  assert.equal(await letsIn(at, "changed-in-place"), true);
  await until("the report is gone", async () => !(await isReported()), PATIENCE);
  assert.equal((await redb(world)).status?.passwordFrom?.secret, "orders-login");
}

async function emptySecret({ world, at }: Scene): Promise<void> {
  await write(world, "orders-login", "");
  const says = async () => (await redb(world)).status?.conditions?.find(({ type }) => type === "Ready")?.reason;
  await until("it is reported", async () => (await says()) === "DatabaseSecretMissing", PATIENCE);
  assert.equal(await letsIn(at, "by-another-name"), true);
  await write(world, "orders-login", "written-again");
  await acceptedWithin5s(at, "written-again");
}

async function requireUnharmed(load: Load): Promise<void> {
  const { phases, ledger, failures } = await load.finish();
  const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
  assert.ok(ledger.acknowledgedWrites > 0);
  assert.deepEqual(
    { failed, lost: ledger.lostWrites, drift: ledger.incrementDrift, stale: ledger.staleReads },
    { failed: 0, lost: 0, drift: 0, stale: 0 },
    failures.join("; "),
  );
}

async function redb({ kube }: StorectlWorld) {
  const found = await kube.get(Databases, REDB);
  assert.ok(found);
  return found;
}

async function edit(world: StorectlWorld, spec: object): Promise<void> {
  await world.kube.patch(Databases, REDB, { type: "merge", body: { spec } });
}

async function write({ kube }: StorectlWorld, name: string, password: string): Promise<void> {
  const data = { password: Buffer.from(password).toString("base64") };
  await kube.patch(Secrets, { name, namespace: REDB.namespace }, { type: "merge", body: { data } });
}

async function held({ kube }: StorectlWorld, name: string): Promise<string> {
  const secret = await kube.get(Secrets, { name, namespace: REDB.namespace });
  return Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
}

async function endpoint({ kube }: StorectlWorld): Promise<Scene["at"]> {
  const read = async () => (await kube.get(Services, REDB))?.spec;
  await until("the Service has an address", async () => (await read())?.clusterIP !== undefined, PATIENCE);
  const spec = await read();
  return { host: spec?.clusterIP ?? "", port: spec?.ports?.[0]?.port ?? 0 };
}

async function acceptedWithin5s(at: Scene["at"], password: string): Promise<void> {
  await until(`"${password}" is accepted`, () => letsIn(at, password), { withinMs: 5_000, everyMs: 50 });
}

function letsIn(at: Scene["at"], password: string): Promise<boolean> {
  // after wrong passwords an endpoint lets an address wait
  return callEngine({ ...at, password, timeoutMs: 15_000 }, "PING").then(
    () => true,
    () => false,
  );
}
