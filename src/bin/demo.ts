import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { buildRelease, whyNotBuildable, type BuiltRelease } from "../../scripts/releases/build.ts";
import { keptReleases, type KeptRelease } from "../../scripts/releases/history.ts";
import { imagesWith } from "../../scripts/releases/images.ts";
import { describeObject, getObjects } from "../core/api/kubectl.ts";
import type { AskedVersion } from "../core/api/records.ts";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { waitForAbort } from "#kit/base/wait-for-abort";
import { fileLog } from "../programs/demo/file-log.ts";
import { DEMO } from "../programs/demo/steps/objects.ts";
import { terminalProgress, type Progress } from "../programs/demo/report/progress.ts";
import { receiptLines, type Receipt } from "../programs/demo/report/receipt.ts";
import { receiptPage } from "../programs/demo/report/receipt-page.ts";
import { startReleaseServer } from "../programs/demo/steps/release-server.ts";
import { newestVersion, runScenario } from "../programs/demo/scenario.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { bundleFor } from "../core/releases/bundle/bundle.ts";
import { chooseEngine } from "../core/releases/engines/engines.ts";
import { latestRelease, releaseByOperator } from "../core/releases/catalogue/find.ts";
import { discoverEngines } from "../mechanisms/supervisor/engines.ts";
import { reportAndExit } from "./exit.ts";
import { faults } from "./faults.ts";
import { startWorld, type World } from "#kubernetes";

/** The release that the demo installs first: it supports some of the Kubernetes versions of the latest one. */
const OLDER_RELEASE = "7.22.2-21";
const FROM_VERSION: AskedVersion = "7.2";

const KEPT = keptReleases();

const USAGE =
  "usage: npm run demo -- [--from <version>] [--keep] [--connections 50] [--gap-ms 20]\n" +
  `  --from <version>   begin with the programs of an older release, built from its commit: ${versionsOf(KEPT)};\n` +
  "                     without it, those of this checkout stand for both releases\n" +
  "  --keep             keep the local Kubernetes running afterwards, for kubectl, until Ctrl-C\n" +
  "  --connections <n>  client connections, 1 to 1000\n" +
  "  --gap-ms <n>       pause of each connection between two requests, 0 to 1000 milliseconds";

await main(process.argv.slice(2)).catch(reportAndExit);

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const options = await readOptions(args);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stop.abort(new Fault(faults.interrupted, `stopped by ${signal}`)));
  }
  const began = performance.now();
  const progress = terminalProgress(
    { isTTY: process.stdout.isTTY, columns: process.stdout.columns, write: (text) => process.stdout.write(text) },
    () => performance.now() - began,
  );
  const dir = join(process.cwd(), ".local", `demo-${process.pid}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const log = fileLog(join(dir, "demo.log"));
  const from = options.from === undefined ? undefined : await makeOlder(options.from, progress);
  progress.section("Start a Kubernetes on this machine");
  const images = imagesWith(from === undefined ? [] : [from], join(dir, "cache"));
  const world = await startWorld({ dir, log, images });
  let finished = false;
  try {
    introduce(progress, world);
    const receipt = await upgradeUnderLoad(world, { ...options, from }, progress, log, stop.signal);
    await save(receipt);
    process.stdout.write(`\n${receiptLines(receipt).join("\n")}\n\n  saved in receipt.json and receipt.html\n`);
    process.exitCode = receipt.verdict === "passed" ? 0 : 1;
    finished = receipt.verdict === "passed";
    if (options.keep) await keepRunning(world, stop.signal);
  } finally {
    await world.stop();
    if (finished) await rm(dir, { recursive: true, force: true });
    else process.stderr.write(`\nthe logs and objects of this run are in ${relative(process.cwd(), dir)}\n`);
  }
  process.exit();
}

interface Options {
  /** The release to begin with; undefined for this checkout under an older label. */
  readonly from: KeptRelease | undefined;
  readonly keep: boolean;
  readonly connections: number;
  readonly gapMs: number;
}

async function readOptions(args: readonly string[]): Promise<Options> {
  const parsed = (() => {
    try {
      return parseArgs({
        args: [...args],
        options: {
          from: { type: "string" },
          keep: { type: "boolean", default: false },
          connections: { type: "string", default: "50" },
          "gap-ms": { type: "string", default: "20" },
        },
      }).values;
    } catch (error) {
      throw new Fault(faults.usage, `${messageOf(error)}\n${USAGE}`, {}, error);
    }
  })();
  const whole = (name: "connections" | "gap-ms", min: number, max: number): number => {
    const value = Number(parsed[name]);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Fault(faults.usage, `--${name} is "${parsed[name]}", but must be ${min} to ${max}\n${USAGE}`);
  };
  const from = parsed.from === undefined ? undefined : await findKept(parsed.from);
  return { from, keep: parsed.keep, connections: whole("connections", 1, 1000), gapMs: whole("gap-ms", 0, 1000) };
}

async function findKept(version: string): Promise<KeptRelease> {
  const kept = KEPT.find((one) => one.version === version);
  if (kept === undefined)
    throw new Fault(faults.usage, `--from is "${version}", but must be one of ${versionsOf(KEPT)}\n${USAGE}`);
  const obstacle = await whyNotBuildable(kept);
  if (obstacle !== undefined) throw new Fault(faults.releaseMissing, obstacle);
  return kept;
}

function versionsOf(kept: readonly KeptRelease[]): string {
  return kept.map(({ version }) => version).join(", ");
}

async function makeOlder(kept: KeptRelease, progress: Progress): Promise<BuiltRelease> {
  progress.section(`Make release ${kept.version}`);
  progress.report(`from commit ${kept.commit}; its images are those of ${kept.runsAs.operator}`);
  return buildRelease(kept);
}

function introduce(progress: Progress, world: World): void {
  progress.report(`Kubernetes API: ${world.url}; pods run as processes on ${world.subnet}x.x`);
  progress.report("to watch it from another terminal:");
  progress.report(`  export KUBECONFIG=${world.kubeconfig}`);
  progress.report(`  ${getObjects("rec,redb,pods -w")}`);
}

async function upgradeUnderLoad(
  world: World,
  options: Pick<Options, "connections" | "gapMs"> & { readonly from: BuiltRelease | undefined },
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

async function save(receipt: Receipt): Promise<void> {
  await writeFile("receipt.json", `${JSON.stringify(receipt, undefined, 2)}\n`);
  await writeFile("receipt.html", receiptPage(receipt));
}

async function keepRunning(world: World, signal: AbortSignal): Promise<void> {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say("\nThe local Kubernetes runs until Ctrl-C:");
  say(`  export KUBECONFIG=${world.kubeconfig}`);
  say(
    `  ${[getObjects(`rec ${DEMO.cluster}`), describeObject(`redb ${DEMO.database}`), getObjects("events")].join("; ")}`,
  );
  await waitForAbort(signal);
}
