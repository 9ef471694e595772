// Runs every test file with node's own runner, or those that the arguments name.
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : globSync(["src/**/*.test.ts", "test/**/*.test.ts", "test/conformance/kube.ts"], { cwd: ROOT }).sort();
/** A whole file and each test in it, on a machine that does much else; what a test itself awaits has limits of its own. */
const TIMEOUT_MS = 1_200_000;
const runner = spawn(
  process.execPath,
  ["--test", `--test-timeout=${TIMEOUT_MS}`, "--test-concurrency=2", "--test-reporter=spec", ...files],
  {
    cwd: ROOT,
    stdio: "inherit",
  },
);
runner.on("exit", (code) => process.exit(code ?? 1));
