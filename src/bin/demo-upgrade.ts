import type { BuiltRelease } from "../../scripts/releases/build.ts";
import type { AskedVersion } from "../core/api/records.ts";
import type { Log } from "#kit/base/log";
import type { Progress } from "../programs/demo/report/progress.ts";
import type { Receipt } from "../programs/demo/report/receipt.ts";
import { startReleaseServer } from "../programs/demo/steps/release-server.ts";
import { newestVersion, runScenario } from "../programs/demo/scenario.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { bundleFor } from "../core/releases/bundle/bundle.ts";
import { chooseEngine } from "../core/releases/engines/engines.ts";
import { latestRelease, releaseByOperator } from "../core/releases/catalogue/find.ts";
import { discoverEngines } from "../mechanisms/supervisor/engines.ts";
import type { World } from "#kubernetes";
import type { DemoOptions } from "./demo-options.ts";

/** The release that the demo installs first: it supports some of the Kubernetes versions of the latest one. */
const OLDER_RELEASE = "7.22.2-21";
const FROM_VERSION: AskedVersion = "7.2";
/** As many as a trial licence allows with replicas. */
const SHARDS = 2;

/** Upgrades from the older release to the latest one while clients read and write. */
export async function upgradeUnderLoad(
  world: World,
  options: Pick<DemoOptions, "connections" | "gapMs"> & { readonly from: BuiltRelease | undefined },
  progress: Progress,
  log: Log,
  signal: AbortSignal,
): Promise<Receipt> {
  const latest = latestRelease();
  const older = options.from?.runsAs ?? releaseByOperator(OLDER_RELEASE) ?? latest;
  const bundles: Readonly<Record<string, string>> = {
    [`v${older.operator}`]: (await options.from?.bundle()) ?? bundleFor(older),
    [`v${latest.operator}`]: bundleFor(latest),
  };
  const releases = await startReleaseServer(`v${latest.operator}`, (tag) => bundles[tag]);
  const found = await discoverEngines(process.env);
  const isExact = (version: AskedVersion): boolean => chooseEngine(version, found)?.standIn === false;
  try {
    return await runScenario(
      { kube: world.kube, clock: systemClock, log, signal, progress },
      {
        older,
        latest,
        fromVersion: FROM_VERSION,
        toVersion: newestVersion(isExact),
        toShards: SHARDS,
        releases,
        connections: options.connections,
        gapMs: options.gapMs,
        restMs: 5_000,
      },
    );
  } finally {
    await releases.close();
  }
}
