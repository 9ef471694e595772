import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Fault } from "#kit/base/fault";
import { latestRelease } from "../core/releases/catalogue/find.ts";
import { chooseEngine } from "../core/releases/engines/engines.ts";
import { startWorld } from "#kubernetes";
import { systemClock } from "#kit/reconcile/system-clock";
import { discoverEngines } from "../mechanisms/supervisor/engines.ts";
import { fileLog } from "../programs/demo/file-log.ts";
import { terminalProgress } from "../programs/demo/report/progress.ts";
import { newestVersion } from "../programs/demo/scenario.ts";
import { SiteClients } from "../programs/demo/sites/clients.ts";
import { openNetwork } from "../programs/demo/sites/network.ts";
import { sitesReceipt, sitesReceiptLines, type SitesReceipt } from "../programs/demo/sites/receipt.ts";
import { runSites } from "../programs/demo/sites/scenario.ts";
import { reportAndExit } from "./exit.ts";
import { faults } from "./faults.ts";
import { imagesWith } from "../../scripts/releases/images.ts";
import { builtPrograms } from "../../scripts/programs/built.ts";

const USAGE =
  "usage: npm run demo:active-active\n" +
  "  two clusters that hold one database: clients write at both, the network between them is cut and mended, the database is\n" +
  "  upgraded, and a receipt says whether both hold all that was acknowledged";
const LATENCY_MS = 20;
const CUT_MS = 6_000;

await main(process.argv.slice(2)).catch(reportAndExit);

async function main(args: readonly string[]): Promise<void> {
  if (args.length > 0) {
    if (!["--help", "-h"].includes(args[0] ?? ""))
      throw new Fault(faults.usage, `it takes no argument "${args[0]}"\n${USAGE}`);
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => stop.abort(new Fault(faults.interrupted, `stopped by ${signal}`)));
  const dir = join(process.cwd(), ".local", `demo-active-active-${process.pid}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const receipt = await demonstrate(dir, stop.signal);
  await writeFile("receipt-active-active.json", `${JSON.stringify(receipt, undefined, 2)}\n`);
  process.stdout.write(`\n${sitesReceiptLines(receipt).join("\n")}\n\n  saved in receipt-active-active.json\n`);
  if (receipt.verdict === "passed") await rm(dir, { recursive: true, force: true });
  else process.stderr.write(`\nthe logs and objects of this run are in ${relative(process.cwd(), dir)}\n`);
  process.exit(receipt.verdict === "passed" ? 0 : 1);
}

async function demonstrate(dir: string, signal: AbortSignal): Promise<SitesReceipt> {
  const began = performance.now();
  const progress = terminalProgress(
    { isTTY: process.stdout.isTTY, columns: process.stdout.columns, write: (text) => process.stdout.write(text) },
    () => performance.now() - began,
  );
  const log = fileLog(join(dir, "demo.log"));
  progress.section("Start a Kubernetes on this machine");
  const programs = await builtPrograms(join(import.meta.dirname, "../.."));
  Object.assign(process.env, programs);
  const images = imagesWith([], join(dir, "cache"), join(programs.STORE_PROGRAMS, "store.js"));
  const world = await startWorld({ dir, log, images });
  try {
    progress.report(`Kubernetes API: ${world.url}; pods run as processes on ${world.subnet}x.x`);
    const found = await discoverEngines(process.env);
    const outcome = await runSites(
      { kube: world.kube, clock: systemClock, log, signal, progress },
      {
        release: latestRelease(),
        fromVersion: "7.2",
        toVersion: newestVersion((version) => chooseEngine(version, found)?.standIn === false),
        openNetwork: (targets) =>
          openNetwork({ east: `${world.subnet}251.1`, west: `${world.subnet}251.2` }, targets, LATENCY_MS),
        startLoad: (site, endpoint) => Promise.resolve(new SiteClients(site, endpoint)),
        cutMs: CUT_MS,
      },
    );
    return sitesReceipt(outcome, (performance.now() - began) / 1_000);
  } finally {
    await world.stop();
  }
}
