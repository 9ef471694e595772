import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { builtPrograms } from "../../scripts/programs/built.ts";
import { buildRelease, type BuiltRelease } from "../../scripts/releases/build.ts";
import type { KeptRelease } from "../../scripts/releases/history.ts";
import { imagesWith } from "../../scripts/releases/images.ts";
import { describeObject, getObjects } from "../core/api/kubectl.ts";
import { Fault } from "#kit/base/fault";
import { waitForAbort } from "#kit/base/wait-for-abort";
import { fileLog } from "../programs/demo/file-log.ts";
import { DEMO } from "../programs/demo/steps/objects.ts";
import { terminalProgress, type Progress } from "../programs/demo/report/progress.ts";
import { receiptLines, type Receipt } from "../programs/demo/report/receipt.ts";
import { receiptPage } from "../programs/demo/report/receipt-page.ts";
import { reportAndExit } from "./exit.ts";
import { faults } from "./faults.ts";
import { startWorld, type ImageStore, type World } from "#kubernetes";
import { DEMO_USAGE, readDemoOptions } from "./demo-options.ts";
import { upgradeUnderLoad } from "./demo-upgrade.ts";

await main(process.argv.slice(2)).catch(reportAndExit);

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${DEMO_USAGE}\n`);
    return;
  }
  const options = await readDemoOptions(args);
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
  const world = await startWorld({ dir, log, images: await buildImages(from, join(dir, "cache")) });
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

/** Images whose programs are those that are published. */
async function buildImages(from: BuiltRelease | undefined, cacheFolder: string): Promise<ImageStore> {
  const programs = await builtPrograms(join(import.meta.dirname, "../.."));
  Object.assign(process.env, programs);
  return imagesWith(from === undefined ? [] : [from], cacheFolder, join(programs.STORE_PROGRAMS, "store.js"));
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
