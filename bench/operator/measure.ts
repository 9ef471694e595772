import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { StoreEnterpriseDatabase } from "../../src/core/api/kinds.ts";
import { PORTS } from "../../src/core/api/names.ts";
import { silentLog } from "#kit/base/log";
import { isTrue } from "#kit/kube/conditions";
import { startInformer, type Informer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { OPERATOR_NODE_OPTIONS } from "../../src/core/releases/bundle/operator-deployment.ts";
import { simulateAgents } from "../../test/kit/operator/simulated-agents.ts";
import { simulateNodes } from "../../test/kit/operator/simulated-nodes.ts";
import { until } from "#kit/testing/until";
import { startControlPlane } from "../../test/kubernetes/control-plane/control-plane.ts";
import { auditing, requestsOf, type Requests } from "./audit.ts";
import { measureEdits, type Latencies } from "./edits.ts";
import { cpuOfOwn, startProgram, type Program } from "./program.ts";
import { CLUSTER, install, NAMESPACE } from "./scene.ts";
import { timeWrites } from "./writes.ts";

/** What a program used while nothing happened. */
export interface Rest {
  readonly requests: Requests;
  readonly memory: { readonly now: number; readonly peak: number };
  /** Share of one core. */
  readonly cpu: number;
}

export interface Figures {
  readonly databases: number;
  /** Seconds from the start of the operator until each database is made, active and reported. */
  readonly cold: number;
  readonly coldRequests: Requests;
  readonly coldCpu: number;
  /** Of API server and etcd meanwhile. */
  readonly coldServerCpu: number;
  /** The same for what has to be written to make as many databases, by a client that has nothing to decide. */
  readonly alone: { readonly seconds: number; readonly serverCpu: number };
  /** Seconds from the start of the operator in a settled world until it has looked at each database. */
  readonly warm: number;
  readonly warmRequests: Requests;
  readonly minutes: number;
  readonly operator: Rest;
  readonly floor: Rest;
  /** Calls of the management API during the rest. */
  readonly calls: number;
  readonly edits: Latencies;
}

const STEADY_MS = 60_000;
const PROGRESS_MS = 5_000;
/** Compiled, as users run it. */
const STORE = join(import.meta.dirname, "..", "..", "dist", "bin", "store.js");

/** Runs everything once in a new world with so many databases; `say` gets what happens meanwhile. */
export async function measure(databases: number, say: (text: string) => void): Promise<Figures> {
  using temporary = mkdtempDisposableSync(join(tmpdir(), "bench-operator-"));
  const folder = temporary.path;
  const audit = auditing(folder);
  // nothing but the API server shall take time: the nodes are simulated, and nothing is collected
  await using plane = await startControlPlane({ controllers: false, apiServerArguments: audit.args });
  const { kube } = plane;
  const accounts = await install(plane);
  const stop = new AbortController();
  using _ended = { [Symbol.dispose]: () => stop.abort() };
  const options = { namespace: NAMESPACE, signal: stop.signal, clock: systemClock, log: silentLog };
  const addresses = [1, 2, 3].map((node) => `127.${60 + (process.pid % 180)}.${(process.pid >> 8) % 250}.${node}`);
  const release = latestRelease();
  const env = {
    STORE_RELEASE: release.operator,
    KUBECONFIG: accounts.operator.kubeconfig,
    POD_IP: addresses[0] ?? "",
    NODE_OPTIONS: OPERATOR_NODE_OPTIONS,
  };
  const startOperator = (): Program => startProgram([STORE, "operator"], env, join(folder, "operator.log"));

  simulateNodes(kube, { ...options, addresses });
  await kube.create(Clusters, { metadata: { name: CLUSTER, namespace: NAMESPACE }, spec: {} });
  const first = startOperator();
  await using agents = await simulateAgents(kube, {
    cluster: CLUSTER,
    namespace: NAMESPACE,
    addresses,
    nodeTag: release.nodeTag,
    changeMs: 100,
  });
  await until("the cluster is Running", async () => (await recState(kube)) === "Running", {
    withinMs: 30_000,
    everyMs: 200,
  });
  await first.stop();

  say(`the cluster runs; ${databases} databases are written`);
  await createDatabases(kube, databases);
  const followed = startInformer(kube, Databases, options);
  await followed.synced;

  const serverBefore = serverCpu();
  const coldAt = Date.now();
  let operator = startOperator();
  await settled(followed, (active) => say(`${active} of ${databases} databases are active`));
  const cold = (Date.now() - coldAt) / 1000;
  const coldCpu = operator.cpu();
  const coldServerCpu = serverCpu() - serverBefore;
  await sleep(2_000); // events are written after the fact
  const coldRequests = requestsOf(audit.path, accounts.operator.user, coldAt, Date.now());
  const coldPeak = operator.memory().peak;
  await operator.stop();

  say(`settled after ${cold.toFixed(1)} s; the operator starts again`);
  const warmAt = Date.now();
  operator = startOperator();
  await until("the operator has looked at each database", () => hasLooked(addresses[0] ?? "", databases), {
    withinMs: 600_000,
    everyMs: 100,
  });
  const warm = (Date.now() - warmAt) / 1000;
  const floor = startProgram(
    [join(import.meta.dirname, "floor.ts")],
    { KUBECONFIG: accounts.floor.kubeconfig, NODE_OPTIONS: OPERATOR_NODE_OPTIONS },
    join(folder, "floor.log"),
  );
  await sleep(10_000); // both are at rest then
  const warmRequests = requestsOf(audit.path, accounts.operator.user, warmAt, Date.now());

  say(`looked at after ${warm.toFixed(1)} s; at rest for ${STEADY_MS / 1000} s`);
  const calls = (): number => [...agents.calls.values()].reduce((sum, count) => sum + count, 0);
  const callsBefore = calls();
  const from = Date.now();
  const cpuBefore = [operator.cpu(), floor.cpu()];
  await sleep(STEADY_MS);
  const to = Date.now();
  const rest = (program: Program, user: string, before = 0, peak = 0): Rest => ({
    requests: requestsOf(audit.path, user, from, to),
    memory: { now: program.memory().now, peak: Math.max(peak, program.memory().peak) },
    cpu: (program.cpu() - before) / ((to - from) / 1000),
  });
  const atRest = {
    minutes: (to - from) / 60_000,
    operator: rest(operator, accounts.operator.user, cpuBefore[0], coldPeak),
    floor: rest(floor, accounts.floor.user, cpuBefore[1]),
    calls: calls() - callsBefore,
  };
  say(`${(atRest.operator.cpu * 100).toFixed(1)} % of a core at rest; databases are edited`);
  const edits = await measureEdits(kube, agents, followed);
  await Promise.all([operator.stop(), floor.stop()]);
  say("the same writes by a client alone");
  const serverThen = serverCpu();
  const alone = { seconds: await timeWrites(kube, databases), serverCpu: serverCpu() - serverThen };
  return { databases, cold, coldRequests, coldCpu, coldServerCpu, alone, warm, warmRequests, ...atRest, edits };
}

function serverCpu(): number {
  return cpuOfOwn(["kube-apiserver", "etcd"]);
}

async function recState(kube: Kube): Promise<string | undefined> {
  return (await kube.get(Clusters, { name: CLUSTER, namespace: NAMESPACE }))?.status?.state;
}

async function createDatabases(kube: Kube, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `db-${index}`);
  const workers = Array.from({ length: 8 }, async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      await kube.create(Databases, { metadata: { name, namespace: NAMESPACE }, spec: { memorySize: "100MB" } });
    }
  });
  await Promise.all(workers);
}

async function settled(
  followed: Informer<StoreEnterpriseDatabase>,
  progress: (settled: number) => void,
): Promise<void> {
  const open = (): number => followed.list().filter((redb) => !isSettled(redb)).length;
  const shown = setInterval(() => progress(followed.list().length - open()), PROGRESS_MS);
  using _ended = { [Symbol.dispose]: () => clearInterval(shown) };
  await until("every database is active", () => open() === 0, { withinMs: 900_000, everyMs: 50 }).catch(
    (error: unknown) => {
      throw new Error(`${open()} are not`, { cause: error });
    },
  );
}

function isSettled({ metadata, status }: Stored<StoreEnterpriseDatabase>): boolean {
  return (
    status?.status === "active" &&
    status.observedGeneration === metadata.generation &&
    isTrue(status.conditions, "Ready")
  );
}

async function hasLooked(address: string, databases: number): Promise<boolean> {
  const page = await fetch(`http://${address}:${PORTS.metrics}/metrics`).then(
    (answer) => answer.text(),
    () => "", // it starts
  );
  return Number(/^store_operator_passes_total\{controller="database"\} (\d+)/m.exec(page)?.[1] ?? 0) >= databases;
}
