// The one command for all static checks: format, types, lint, the repository's own tests, generated files. Runs all, then says which failed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");
/**
 * What is known of files that have not changed; only of tools whose answer for a file follows from what they keep. Where prettier has a
 * cache of its own, a call without one clears it, and fails on what it did not make.
 */
const CACHE = join(ROOT, "node_modules", ".cache");
/** Tests that read the files alone, and take a second or three. */
const REPOSITORY = [
  "architecture",
  "budgets",
  "errors",
  "fields",
  "glossary",
  "names",
  "packages",
  "pure-rooms",
  "shape",
].map((name) => `test/${name}.test.ts`);
const CHECKS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  [
    "format",
    join(BIN, "prettier"),
    ...["--check", "--log-level", "warn", "--cache", "--cache-location", join(CACHE, "formats"), "."],
  ],
  ["types", join(BIN, "tsc"), "--incremental", "--tsBuildInfoFile", join(CACHE, "types.tsbuildinfo")],
  ["lint", join(BIN, "eslint"), "--max-warnings", "0", "."],
  ["tests of the repository", process.execPath, "--test", "--test-reporter=dot", ...REPOSITORY],
  ["generated files", process.execPath, "scripts/generate.ts", "--check"],
];

const failed = CHECKS.filter(([name, command, ...args]) => {
  process.stdout.write(`check: ${name}\n`);
  return spawnSync(command, args, { cwd: ROOT, stdio: "inherit" }).status !== 0;
});
process.stdout.write(
  failed.length === 0 ? "check: all passed\n" : `check: failed: ${failed.map(([name]) => name).join(", ")}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
