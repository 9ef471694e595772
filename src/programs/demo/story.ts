import { arch, cpus, totalmem } from "node:os";
import { LABELS } from "../../core/api/names.ts";
import { type DatabaseRecord, STORE_VERSIONS, type AskedVersion } from "../../core/api/records.ts";
import { ConfigMaps, Secrets, Services } from "../../ports/kube/builtin.ts";
import type { Release } from "../../core/releases/release.ts";
import { CAST } from "./cast.ts";
import type { LoadOptions } from "./load.ts";
import { startLoadProcess, type LoadProcess } from "./load-process.ts";
import { makeReceipt, type Receipt, type StageReceipt } from "./receipt.ts";
import { fetchBundle, type ReleaseServer } from "./release-server.ts";
import {
  createCluster,
  createDatabase,
  databaseVersion,
  installOperator,
  runningVersions,
  upgradeCluster,
  upgradeDatabase,
  upgradeOperator,
  type Stage,
} from "./stages.ts";
import { until } from "./until.ts";

export interface StoryOptions {
  readonly older: Release;
  readonly latest: Release;
  readonly fromVersion: AskedVersion;
  readonly toVersion: AskedVersion;
  readonly releases: ReleaseServer;
  readonly connections: number;
  /** Pause of each connection between two requests, in milliseconds. */
  readonly gapMs: number;
  /** How long clients are measured before and after the upgrade, in milliseconds. */
  readonly restMs: number;
  /** Starts the load; a process of this machine when absent. */
  readonly startLoad?: (options: LoadOptions) => Promise<LoadProcess>;
}

/** The main job from an empty Kubernetes to the receipt: install, load, upgrade operator, cluster and database. */
export async function tellStory(stage: Stage, options: StoryOptions): Promise<Receipt> {
  const { older, releases } = options;
  const startedAt = stage.clock.now();
  stage.progress.chapter(`Install release ${older.operator}`);
  await installOperator(stage, await fetchBundle(releases.bundleBaseUrl, `v${older.operator}`), older);
  await createCluster(stage, older);
  await createDatabase(stage, options.fromVersion);

  stage.progress.chapter("Load");
  const { connections, gapMs, startLoad = startLoadProcess } = options;
  const load = await startLoad({ ...(await findEndpoint(stage)), connections, gapMs });
  const abandon = (): void => {
    load.kill();
  };
  stage.signal.addEventListener("abort", abandon, { once: true });
  try {
    const engineBefore = await load.engine();
    stage.progress.say(`${connections} connections write, count and read through the endpoint (${engineBefore})`);
    await rest(stage, load, options.restMs);
    const primariesBefore = await changesOfPrimary(stage);
    const stages = await upgradeAll(stage, options, load);
    stage.progress.chapter("Afterwards");
    await load.enter("after");
    await rest(stage, load, options.restMs);

    stage.progress.chapter("Check");
    stage.progress.say("reading every acknowledged write back");
    const result = await load.finish();
    return makeReceipt({
      startedAt,
      endedAt: stage.clock.now(),
      machine: {
        cpus: cpus().length,
        memoryGiB: Math.round(totalmem() / 2 ** 30),
        platform: `${process.platform} ${arch()}`,
        node: process.versions.node,
      },
      connections,
      load: result,
      engineBefore,
      stages,
      switchovers: (await changesOfPrimary(stage)) - primariesBefore,
    });
  } finally {
    stage.signal.removeEventListener("abort", abandon);
    load.kill();
  }
}

/** The three stages in their order (§1), each with what the running service says of itself before and after. */
async function upgradeAll(stage: Stage, options: StoryOptions, load: LoadProcess): Promise<StageReceipt[]> {
  const { latest, releases, toVersion } = options;
  const operator = async (): Promise<string> => (await runningVersions(stage)).operator;
  const cluster = async (): Promise<string> => (await runningVersions(stage)).cluster;
  const timed = async (
    name: StageReceipt["stage"],
    version: () => Promise<string>,
    act: () => Promise<unknown>,
  ): Promise<StageReceipt> => {
    const from = await version();
    stage.progress.chapter(`Upgrade the ${name}`);
    await load.enter(name);
    const began = performance.now();
    await act();
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    await sayLoad(stage, load);
    return { stage: name, from, to: await version(), seconds };
  };
  return [
    await timed("operator", operator, () => upgradeOperator(stage, releases, latest)),
    await timed("cluster", cluster, () => upgradeCluster(stage, latest)),
    await timed(
      "database",
      () => databaseVersion(stage),
      () => upgradeDatabase(stage, toVersion),
    ),
  ];
}

/** The endpoint as an application finds it: the database's Service and its Secret. */
export async function findEndpoint(stage: Stage): Promise<Pick<LoadOptions, "host" | "port" | "password">> {
  const service = await until(
    stage,
    Services,
    { namespace: CAST.namespace, name: CAST.database },
    {
      what: "Service of the database",
      withinMs: 60_000,
      isMet: ({ spec }) => spec?.clusterIP !== undefined && spec.clusterIP !== "",
    },
  );
  const secret = await until(
    stage,
    Secrets,
    { namespace: CAST.namespace, name: `redb-${CAST.database}` },
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

/** Lets clients be measured for a while in a service that nobody touches. */
async function rest(stage: Stage, load: LoadProcess, milliseconds: number): Promise<void> {
  await stage.clock.sleep(milliseconds, stage.signal);
  await sayLoad(stage, load);
}

async function sayLoad(stage: Stage, load: LoadProcess): Promise<void> {
  const { phases } = await load.numbers();
  const phase = phases.at(-1);
  if (phase === undefined) return;
  stage.progress.say(
    `${phase.requests.toLocaleString("en-US")} requests in ${phase.seconds.toFixed(1)} s, ${phase.failed} failed; p50 ${ms(phase.p50)}, p99 ${ms(phase.p99)}, longest ${ms(phase.max)}`,
  );
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

/** How often a primary has changed so far: the sum of the epochs in the database's record. */
async function changesOfPrimary(stage: Stage): Promise<number> {
  const labelSelector = `${LABELS.cluster}=${CAST.cluster},${LABELS.record}=database`;
  const { items } = await stage.kube.list(ConfigMaps, { namespace: CAST.namespace, labelSelector });
  const records = items.map((item): DatabaseRecord => JSON.parse(item.data?.["record"] ?? "{}"));
  return records.flatMap(({ shards }) => shards).reduce((sum, shard) => sum + shard.epoch, 0);
}

/** The newest version of the contract that `isExact` says is served by its own engine, else the newest one. */
export function newestVersion(isExact: (version: AskedVersion) => boolean): AskedVersion {
  return STORE_VERSIONS.findLast((version) => version !== "7.2" && isExact(version)) ?? "8.2";
}
