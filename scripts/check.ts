// The one command for all static checks: format, types, lint, the repository's own tests, generated files. Runs all, the lint beside the others, then says which failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
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
  "first-shard",
  "glossary",
  "names",
  "only-route",
  "packages",
  "pure-rooms",
  "shape",
  "specification/references",
].map((name) => `test/${name}.test.ts`);
type Check = readonly [name: string, command: string, ...args: string[]];
/** It takes longer than all others together, and one processor. */
const LINT: Check = ["lint", join(BIN, "eslint"), "--max-warnings", "0", "."];
const OTHERS: readonly Check[] = [
  [
    "format",
    join(BIN, "prettier"),
    ...["--check", "--log-level", "warn", "--cache", "--cache-location", join(CACHE, "formats"), "."],
  ],
  ["types", join(BIN, "tsc"), "--incremental", "--tsBuildInfoFile", join(CACHE, "types.tsbuildinfo")],
  ["tests of the repository", process.execPath, "--test", "--test-reporter=dot", ...REPOSITORY],
  ["generated files", process.execPath, "scripts/generate.ts", "--check"],
];

const linted = run(LINT);
const failed: string[] = [];
for (const check of OTHERS) if (!(await passes(check, run(check)))) failed.push(check[0]);
if (!(await passes(LINT, linted))) failed.push(LINT[0]);
process.stdout.write(failed.length === 0 ? "check: all passed\n" : `check: failed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Prints what a check says, under its name; false when it has failed. */
async function passes([name]: Check, ended: Promise<CheckEnd>): Promise<boolean> {
  process.stdout.write(`check: ${name}\n`);
  const { code, said } = await ended;
  process.stdout.write(said);
  return code === 0;
}

interface CheckEnd {
  /** null: a signal has ended it. */
  readonly code: number | null;
  readonly said: string;
}

async function run([, command, ...args]: Check): Promise<CheckEnd> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: typeof code === "number" ? code : null, said: `${stdout}${stderr}` };
}
