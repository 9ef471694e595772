import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterNames, ROTATE_AUTHORITY_ANNOTATION } from "../../src/core/api/names.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Services } from "#kit/kube/builtin";
import { certificatesIn } from "#kit/pki/certificate";
import { EngineTls } from "../../src/ports/resp/engine-tls.ts";
import { DEMO, demoDatabase } from "../../src/programs/demo/steps/objects.ts";
import { createCluster, installOperator } from "../../src/programs/demo/steps/steps.ts";
import { startService } from "../kit/engines/service.ts";
import { suspend } from "../kit/engines/suspend.ts";
import { startLedger, type Ledger } from "../kit/load/load-ledger.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { authorityNamed, clientPair } from "../kit/tls/certificates.ts";
import { databaseRecords, secretTexts, shownBy, tlsPlaces } from "../kit/world/cluster-authority.ts";
import { nodeAddresses } from "../kit/world/cluster-login.ts";
import { startShell } from "../kit/world/shell.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

// Another authority of a cluster: offered, used and ended under load, with an operator and a node that are killed meanwhile.

const { namespace, cluster } = DEMO;
const REC = { name: cluster, namespace };
const SECURE = "secure";
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

await using play = await startStoryWorld();
await using loads = new AsyncDisposableStack();
await using type = startShell(process.cwd(), { ...process.env, KUBECONFIG: play.world.kubeconfig });
const { kube } = play.world;

interface Scene {
  ledgers: Ledger[];
  callers?: Callers;
  /** The Secret that nodes have mounted, as it was before. */
  before: Readonly<Record<string, string>>;
  /** The node that no client uses and no primary is on. */
  spare: number;
}

await test("the authority of a cluster is replaced under load, and no request fails", () =>
  steps<Scene>(
    { ledgers: [], before: {}, spare: -1 },
    {
      "clients that verify are at work": begin,
      "another authority is asked for: all trust it, and nothing shows it": offer,
      "while a node is away it is not used, though the overlap is over": holdBack,
      "the node is killed and comes back, the operator is killed: all show the new one, and the former one ends": use,
      "what the former one has signed is refused, and its key is gone": refuseFormer,
      "operator, nodes and rigger work on": workOn,
      "no request failed, and nothing is lost": finish,
    },
  ).catch((error: unknown) => {
    throw new Error(play.said(), { cause: error });
  }));

async function begin(scene: Scene): Promise<void> {
  const { stage, latest } = play;
  await installOperator(stage, bundleFor(latest), latest);
  await createCluster(stage, latest);
  const { spec } = demoDatabase("7.2");
  // with one that comes later, the four shards of a trial licence
  for (const [name, tls] of [
    ["plain", "disabled"],
    [SECURE, "enabled"],
  ] as const) {
    const own = { memorySize: "100MB", replication: name === SECURE, tls };
    await kube.create(Databases, { metadata: { name, namespace }, spec: { ...spec, ...own } });
    await until(`${name} is active`, async () => (await status(name)) === "active", PATIENCE);
  }
  await until("clients know what to trust", async () => (await bundle()) !== "", PATIENCE);
  scene.before = await secretTexts(kube, { name: clusterNames.nodeTlsSecret(cluster), namespace });
  const records = await databaseRecords(kube, REC);
  const busy = records.flatMap(({ shards }) =>
    shards.flatMap(({ primary, instances }) => instances.filter(({ id }) => id === primary)),
  );
  scene.spare = [2, 1, 0].find((index) => busy.every(({ node }) => node !== index + 1)) ?? -1;
  assert.notEqual(scene.spare, -1);
  for (const { name, port } of records) {
    const hosts = async () => (await nodeAddresses(kube, REC)).filter((_address, index) => index !== scene.spare);
    const { host, port: at } = loads.use(await startService(port, hosts));
    const { password } = await secretTexts(kube, { name: `redb-${name}`, namespace });
    const tls = name === SECURE ? { tls: await trusting(await bundle()) } : {};
    scene.ledgers.push(
      loads.use(await startLedger({ host, port: at, password: password ?? "", ...tls, connections: 4 })),
    );
  }
  scene.callers = loads.use(startCallers(scene));
  await scene.callers.goesOn();
}

async function offer({ callers, before }: Scene): Promise<void> {
  await type(`kubectl annotate rec ${cluster} ${ROTATE_AUTHORITY_ANNOTATION}=2026-11`);
  await until("it is made", async () => "next.crt" in (await authority()), PATIENCE);
  assert.equal(await play.kill("operator"), 1);
  await until("it is offered", async () => (await evidence("NextAuthorityOffered")) !== "", PATIENCE);
  await until("clients are given both", async () => certificatesIn(await bundle()).length === 2, PATIENCE);
  for (const place of await places()) await shownBy(place, { ...engine(before), ca: before["ca.crt"] ?? "" });
  assert.deepEqual(Object.keys(await authority()).toSorted(), ["answered", "ca.crt", "ca.key", "next.crt", "next.key"]);
  assert.doesNotMatch(JSON.stringify(await mounted()), /ca\.key|next/);
  callers?.take(await bundle());
  await callers?.goesOn();
}

async function holdBack({ spare }: Scene): Promise<void> {
  const agent = (await play.processes()).find(
    ({ pod, command }) => pod === `${cluster}-${spare}` && command.includes("agent"),
  );
  assert.ok(agent !== undefined);
  const { "ca.crt": current } = await authority();
  const stopped = loads.use(await suspend(agent));
  await overlap(0);
  await until(
    "the finding names it",
    async () => (await evidence("RotationWaits")).includes(`${cluster}-${spare}: `),
    PATIENCE,
  );
  assert.equal((await authority())["ca.crt"], current);
  process.kill(agent.pid, "SIGKILL");
  stopped.resume();
}

async function use({ callers, before }: Scene): Promise<void> {
  await until("it signs", async () => "former.crt" in (await authority()), { ...PATIENCE, everyMs: 10 });
  assert.equal(await play.kill("operator"), 1);
  await until("the former one has ended", async () => Object.keys(await authority()).length === 3, PATIENCE);
  await until(
    "each node has read it",
    async () => (await failuresOf(await places(), await newest())).length === 0,
    PATIENCE,
  );
  const { "ca.crt": ca } = await authority();
  assert.notEqual(ca, before["ca.crt"]);
  await until("clients trust it alone", async () => (await bundle()).trim() === ca?.trim(), PATIENCE);
  await until("it waits for nothing", async () => (await evidence("RotationWaits")) === "", PATIENCE);
  await callers?.goesOn();
  callers?.take(await bundle());
  await callers?.goesOn();
}

async function refuseFormer({ before }: Scene): Promise<void> {
  const all = await places();
  assert.equal(all.length, 3 + 3 + 2, "three management APIs, three endpoints, two engines");
  const trust = await newest();
  assert.equal(
    (await failuresOf(all, { ...trust, ca: before["ca.crt"] ?? "" })).length,
    all.length,
    "none is of the former one",
  );
  const engines = all.filter(({ what }) => what.startsWith("engine"));
  const stale = { ...engine(before), ca: trust.ca };
  const isRefused = async () => (await failuresOf(engines, stale)).length === engines.length;
  await until("engines refuse what it has signed, once their nodes have read so", isRefused, PATIENCE);
  assert.deepEqual(Object.keys(await authority()).toSorted(), ["answered", "ca.crt", "ca.key"]);
}

async function workOn(): Promise<void> {
  const ref = { name: "later", namespace };
  await kube.create(Databases, { metadata: ref, spec: {} });
  await until("it is active", async () => (await status("later")) === "active", PATIENCE);
  await until("it has a Service", async () => (await kube.get(Services, ref)) !== undefined, PATIENCE);
  const said = await type(`kubectl get events --field-selector involvedObject.name=${cluster}`);
  for (const reason of ["AuthorityRotationBegan", "AuthorityRotated", "FormerAuthorityEnded"])
    assert.match(said, new RegExp(`${reason} `));
}

async function finish({ ledgers, callers }: Scene): Promise<void> {
  assert.deepEqual(await callers?.end(), []);
  assert.equal(ledgers.length, 2);
  for (const ledger of ledgers) {
    const { failed, lost, requests, complaints } = await ledger.stop();
    assert.deepEqual([failed, lost], [0, 0], complaints.join("; "));
    assert.ok(requests > 1_000, `${requests} requests`);
  }
}

/** What clients of the database with TLS are given to trust. */
async function bundle(): Promise<string> {
  return (await secretTexts(kube, { name: `redb-${SECURE}`, namespace }))["ca.crt"] ?? "";
}

function authority(): Promise<Readonly<Record<string, string>>> {
  return secretTexts(kube, { name: clusterNames.authoritySecret(cluster), namespace });
}

function mounted(): Promise<Readonly<Record<string, string>>> {
  return secretTexts(kube, { name: clusterNames.nodeTlsSecret(cluster), namespace });
}

function places() {
  return tlsPlaces(kube, REC);
}

/** A caller of now: with the certificate of the engines, and their authority. */
async function newest() {
  const texts = await mounted();
  return { ...engine(texts), ca: texts["ca.crt"] ?? "" };
}

function engine(texts: Readonly<Record<string, string>>) {
  return { cert: texts["engine.crt"] ?? "", key: texts["engine.key"] ?? "" };
}

async function failuresOf(all: Awaited<ReturnType<typeof places>>, caller: Parameters<typeof shownBy>[1]) {
  const results = await Promise.allSettled(all.map((place) => shownBy(place, caller)));
  return results.flatMap((result, index) =>
    result.status === "rejected" ? [`${all[index]?.what}: ${result.reason}`] : [],
  );
}

async function trusting(ca: string): Promise<EngineTls> {
  const tls = new EngineTls();
  const { certificate, key } = clientPair(authorityNamed("none asks"));
  tls.use({ certificate, key, authority: ca, serverName: clusterNames.databaseHost(SECURE, namespace) });
  return tls;
}

function overlap(seconds: number): Promise<unknown> {
  return kube.patch(Clusters, REC, { type: "merge", body: { spec: { authorityOverlapSeconds: seconds } } });
}

async function status(name: string): Promise<string | undefined> {
  return (await kube.get(Databases, { name, namespace }))?.status?.status;
}

async function evidence(id: string): Promise<string> {
  return (await kube.get(Clusters, REC))?.status?.findings?.find((one) => one.id === id)?.evidence ?? "";
}

interface Callers extends AsyncDisposable {
  /** From now on they trust this. */
  take(ca: string): void;
  goesOn(): Promise<void>;
  /** What failed. */
  end(): Promise<readonly string[]>;
}

/** Connect again and again to endpoint and management API of the nodes that stay, by what clients trust. */
function startCallers({ before, spare }: Scene): Callers {
  const failed: string[] = [];
  let ca = before["ca.crt"] ?? "";
  let calls = 0;
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      const hosts = await nodeAddresses(kube, REC);
      const all = (await places()).filter(({ what, host }) => !what.startsWith("engine") && host !== hosts[spare]);
      failed.push(...(await failuresOf(all, { ca })));
      calls += 1;
      await sleep(20); // a pace, so that the load has its turn
    }
  };
  const running = run();
  const stop = async (): Promise<void> => {
    isOver = true;
    await running;
  };
  return {
    take: (next) => {
      ca = next;
    },
    goesOn: async () => {
      const seen = calls;
      await until("callers go on", () => calls > seen + 2, PATIENCE);
    },
    end: async () => {
      await stop();
      assert.ok(calls > 20, `${calls} calls`);
      return failed;
    },
    [Symbol.asyncDispose]: stop,
  };
}
