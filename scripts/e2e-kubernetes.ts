// The product on three real nodes:
//   npm run e2e:kubernetes               every step
//   npm run e2e:kubernetes -- --short    what CI runs: without the steps that wait for a worker to be given up
// Exit codes: 0 passed, 1 failed, 2 wrong arguments, 3 skipped: not possible on this machine, 130 and 143 interrupted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { ensureAssets, Impossible } from "../test/kubernetes/assets/assets.ts";
import { whyNotBuildable } from "./releases/build.ts";
import { keptReleases } from "./releases/history.ts";
import { sweep } from "../test/kubernetes/machine/home.ts";

const FAILED = 1;
const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;
const SIGNAL_BASE = 128;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== "--short")) {
    say("the only argument is --short: npm run e2e:kubernetes -- --short");
    return WRONG_ARGUMENTS;
  }
  try {
    await ensureAssets("nodes", say);
  } catch (error) {
    const isImpossible = error instanceof Impossible;
    say(isImpossible ? `skipped: ${messageOf(error)}` : messageOf(error));
    return isImpossible ? NOT_POSSIBLE : FAILED;
  }
  for (const kept of keptReleases()) {
    const obstacle = await whyNotBuildable(kept);
    if (obstacle === undefined) continue;
    say(`skipped: ${obstacle}`);
    return NOT_POSSIBLE;
  }
  await using stack = new AsyncDisposableStack();
  stack.defer(sweep); // what a process that was killed could not clear away itself
  const folder = stack.use(mkdtempDisposableSync(join(tmpdir(), "e2e-")));
  return await runSteps({ E2E_FOLDER: folder.path, E2E_SHORT: args.includes("--short") ? "1" : "" });
}

/** The steps in a process of their own: with it the kernel ends the nodes, however it ends. */
async function runSteps(env: Readonly<Record<string, string>>): Promise<number> {
  const file = join(import.meta.dirname, "../test/kubernetes/e2e/e2e.ts");
  const steps = spawn(process.execPath, ["--test-force-exit", "--test-reporter=spec", file], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  let interrupted: NodeJS.Signals | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      if (interrupted === undefined) say(`interrupted by ${signal}: clearing up`);
      interrupted ??= signal;
      steps.kill("SIGKILL");
    });
  const [code] = await once(steps, "exit");
  if (interrupted !== undefined) return SIGNAL_BASE + constants.signals[interrupted];
  return typeof code === "number" ? code : FAILED;
}

function say(line: string): void {
  process.stderr.write(`e2e:kubernetes: ${line}\n`);
}
