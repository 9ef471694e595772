import { arch, cpus, totalmem } from "node:os";
import { LABELS } from "../../core/api/names.ts";
import { type DatabaseRecord, STORE_VERSIONS, type AskedVersion } from "../../core/api/records.ts";
import { ConfigMaps, Secrets, Services } from "#kit/kube/builtin";
import type { Release } from "../../core/releases/catalogue/release.ts";
import type { Mark } from "./load/timeline.ts";
import { followMoves } from "./moves.ts";
import { DEMO } from "./steps/objects.ts";
import type { LoadOptions } from "./load/clients.ts";
import { startLoadProcess, type LoadProcess } from "./load/load-process.ts";
import { makeReceipt, type Receipt, type ReceiptFacts, type StageReceipt } from "./report/receipt.ts";
import { fetchReleaseBundle, type ReleaseServer } from "./steps/release-server.ts";
import {
  createCluster,
  createDatabase,
  databaseVersion,
  numberOfShards,
  reshapeDatabase,
  installOperator,
  runningVersions,
  upgradeCluster,
  upgradeDatabase,
  upgradeOperator,
  type ScenarioContext,
} from "./steps/steps.ts";
import { waitForObject } from "./steps/wait.ts";

/** What the scenario upgrades, and the load meanwhile. */
export interface ScenarioOptions {
  readonly older: Release;
  readonly latest: Release;
  readonly fromVersion: AskedVersion;
  readonly toVersion: AskedVersion;
  readonly releases: ReleaseServer;
  readonly connections: number;
  /** Shards of the database; absent: one. */
  readonly shards?: number;
  /** How many shards it gets between the upgrade of the cluster and its own; absent: as many as it has. */
  readonly toShards?: number;
  /** Pause of each connection between two requests, in milliseconds. */
  readonly gapMs: number;
  /** How long clients are measured before and after the upgrade, in milliseconds. */
  readonly restMs: number;
  /** Starts the load; a process of this machine when absent. */
  readonly startLoad?: (options: LoadOptions) => Promise<LoadProcess>;
  /** What else is done once the newer operator has taken over, before the cluster is touched; it belongs to that stage. */
  readonly onOperator?: () => Promise<void>;
}

/** Upgrades operator, cluster and database of an empty Kubernetes under load, from the installation to the receipt. */
export async function runScenario(context: ScenarioContext, options: ScenarioOptions): Promise<Receipt> {
  const startedAt = context.clock.now();
  await install(context, options);
  context.progress.section("Start the load");
  const { connections, gapMs, startLoad = startLoadProcess } = options;
  const load = await startLoad({ ...(await findEndpoint(context)), connections, gapMs });
  const abort = (): void => {
    load.kill();
  };
  const over = new AbortController();
  const measuring = { ...context, signal: AbortSignal.any([context.signal, over.signal]) };
  context.signal.addEventListener("abort", abort, { once: true });
  try {
    const measured = await measureUpgrade(measuring, options, load);
    return makeReceipt({ ...measured, startedAt, endedAt: context.clock.now(), machine: thisMachine(), connections });
  } finally {
    context.signal.removeEventListener("abort", abort);
    over.abort();
    load.kill();
  }
}

async function install(
  context: ScenarioContext,
  { older, releases, fromVersion, shards }: ScenarioOptions,
): Promise<void> {
  context.progress.section(`Install release ${older.operator}`);
  await installOperator(context, await fetchReleaseBundle(releases.bundleBaseUrl, `v${older.operator}`), older);
  await createCluster(context, older);
  await createDatabase(context, fromVersion, shards);
}

type Measured = Pick<ReceiptFacts, "load" | "engineBefore" | "stages" | "switchovers" | "marks">;

async function measureUpgrade(
  context: ScenarioContext,
  options: ScenarioOptions,
  load: LoadProcess,
): Promise<Measured> {
  const engineBefore = await load.engine();
  context.progress.report(
    `${options.connections} client connections write, read and count through the endpoint; engine ${engineBefore}`,
  );
  const marks: Mark[] = [];
  await followMoves(context, (mark) => marks.push(mark));
  await measureAtRest(context, load, options.restMs);
  const { stages, switchovers } = await upgradeAll(context, options, { load, marks });
  context.progress.section("Measure after the upgrade");
  await load.enter("after");
  marks.push({ at: context.clock.now().getTime(), kind: "stage", text: "after" });
  await measureAtRest(context, load, options.restMs);
  context.progress.section("Verify");
  context.progress.report("reading every acknowledged write back");
  const result = await load.finish();
  return { load: result, engineBefore, stages, switchovers, marks };
}

function thisMachine(): Receipt["machine"] {
  return {
    cpus: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${arch()}`,
    node: process.versions.node,
  };
}

/** The three stages in their order (§1), and another number of shards in between, if asked for. */
async function upgradeAll(
  context: ScenarioContext,
  options: ScenarioOptions,
  during: Observed,
): Promise<Pick<Measured, "stages" | "switchovers">> {
  const { latest, releases, toVersion, toShards, onOperator } = options;
  const operator: Stage = {
    name: "operator",
    version: async () => (await runningVersions(context)).operator,
    act: async () => {
      await upgradeOperator(context, releases, latest);
      await onOperator?.();
    },
  };
  const cluster: Stage = {
    name: "cluster",
    version: async () => (await runningVersions(context)).cluster,
    act: () => upgradeCluster(context, latest),
  };
  const shards = (count: number): Stage => ({
    name: "shards",
    version: async () => String(await numberOfShards(context)),
    act: () => reshapeDatabase(context, count),
  });
  const database: Stage = {
    name: "database",
    version: () => databaseVersion(context),
    act: () => upgradeDatabase(context, toVersion),
  };
  const stages: StageReceipt[] = [];
  let switchovers = 0;
  for (const stage of [operator, cluster, ...(toShards === undefined ? [] : [shards(toShards)]), database]) {
    const primariesBefore = await changesOfPrimary(context);
    stages.push(await runStage(context, during, stage));
    // shards that are new count from the beginning
    if (stage.name !== "shards") switchovers += (await changesOfPrimary(context)) - primariesBefore;
  }
  return { stages, switchovers };
}

/** What is changed under load, with what is reported of it before and after. */
interface Stage {
  readonly name: StageReceipt["stage"];
  readonly version: () => Promise<string>;
  readonly act: () => Promise<unknown>;
}

/** The clients, and what happens to their database. */
interface Observed {
  readonly load: LoadProcess;
  readonly marks: Mark[];
}

async function runStage(
  context: ScenarioContext,
  { load, marks }: Observed,
  { name, version, act }: Stage,
): Promise<StageReceipt> {
  const from = await version();
  context.progress.section(name === "shards" ? "Change the number of shards" : `Upgrade the ${name}`);
  await load.enter(name);
  marks.push({ at: context.clock.now().getTime(), kind: "stage", text: name });
  const began = performance.now();
  await act();
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  await reportLoad(context, load);
  return { stage: name, from, to: await version(), seconds };
}

/** The endpoint of a database as an application finds it: by its Service and its Secret. */
export async function findEndpoint(
  context: ScenarioContext,
  database: string = DEMO.database,
  namespace: string = DEMO.namespace,
): Promise<Pick<LoadOptions, "host" | "port" | "password">> {
  const service = await waitForObject(
    context,
    Services,
    { namespace, name: database },
    {
      what: "Service of the database",
      withinMs: 60_000,
      isMet: ({ spec }) => spec?.clusterIP !== undefined && spec.clusterIP !== "",
    },
  );
  const secret = await waitForObject(
    context,
    Secrets,
    { namespace, name: `redb-${database}` },
    {
      what: "Secret of the database",
      withinMs: 60_000,
      isMet: ({ data }) => data?.["password"] !== undefined,
    },
  );
  return {
    host: service.spec?.clusterIP ?? "",
    port: service.spec?.ports?.[0]?.port ?? 0,
    password: Buffer.from(secret.data?.["password"] ?? "", "base64").toString(),
  };
}

/** Measures the clients for a while, in which nothing changes. */
async function measureAtRest(context: ScenarioContext, load: LoadProcess, milliseconds: number): Promise<void> {
  await context.clock.sleep(milliseconds, context.signal);
  await reportLoad(context, load);
}

async function reportLoad(context: ScenarioContext, load: LoadProcess): Promise<void> {
  const { phases } = await load.numbers();
  const phase = phases.at(-1);
  if (phase === undefined) return;
  context.progress.report(
    `${phase.requests.toLocaleString("en-US")} requests in ${phase.seconds.toFixed(1)} s, ${phase.failed} failed; p50 ${ms(phase.p50)}, p99 ${ms(phase.p99)}, slowest ${ms(phase.max)}`,
  );
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

/** How often a primary has changed so far: the sum of the epochs in the record of the database. */
async function changesOfPrimary(context: ScenarioContext): Promise<number> {
  const labelSelector = `${LABELS.cluster}=${DEMO.cluster},${LABELS.record}=database`;
  const { items } = await context.kube.list(ConfigMaps, { namespace: DEMO.namespace, labelSelector });
  const records = items.map((item): DatabaseRecord => JSON.parse(item.data?.["record"] ?? "{}"));
  return records.flatMap(({ shards }) => shards).reduce((sum, shard) => sum + shard.epoch, 0);
}

/** The newest version whose own engine is there (`isExact`), else the newest version. */
export function newestVersion(isExact: (version: AskedVersion) => boolean): AskedVersion {
  return STORE_VERSIONS.findLast((version) => version !== "7.2" && isExact(version)) ?? "8.2";
}
