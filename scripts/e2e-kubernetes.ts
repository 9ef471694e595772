// The product on three real nodes:
//   npm run e2e:kubernetes               every step
//   npm run e2e:kubernetes -- --short    what CI runs: without the steps that wait for a worker to be given up
// Exit codes: 0 passed, 1 failed, 2 wrong arguments, 3 not possible on this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { messageOf } from "../src/base/fault.ts";
import { ensureAssets, Impossible } from "../test/kubernetes/assets.ts";

const NOT_POSSIBLE = 3;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== "--short")) {
    say("the only argument is --short: npm run e2e:kubernetes -- --short");
    return 2;
  }
  try {
    await ensureAssets("nodes", say);
  } catch (error) {
    say(messageOf(error));
    return error instanceof Impossible ? NOT_POSSIBLE : 1;
  }
  const file = join(import.meta.dirname, "../test/kubernetes/e2e/e2e.ts");
  const env = { ...process.env, E2E_SHORT: args.includes("--short") ? "1" : "" };
  const runner = spawn(process.execPath, ["--test", "--test-force-exit", "--test-reporter=spec", file], {
    stdio: "inherit",
    env,
  });
  const [code] = await once(runner, "exit");
  return typeof code === "number" ? code : 1;
}

function say(line: string): void {
  process.stderr.write(`e2e:kubernetes: ${line}\n`);
}
