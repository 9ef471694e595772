// Removes one behaviour after another from a copy of this checkout and runs the test that claims its rule: docs/testing.md.
//   npm run test:mutations            all of the tables in scripts/mutations
//   npm run test:mutations -- §2 §9   those of rules that contain one of the texts
// Exit codes: 0 every removal was noticed, 1 one was not, 2 nothing chosen, 130 interrupted.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { budgetOf } from "../test/time-limits.ts";
import { HOUSE_MUTATIONS, type HouseMutation } from "./mutations/house.ts";
import { SHARD_MUTATIONS } from "./mutations/shards.ts";
import { MUTATIONS, type Mutation } from "./mutations/table.ts";
import { interruption, Interrupted } from "./testing/interrupt.ts";
import { runFile } from "./testing/run-file.ts";
import { ROOT } from "./testing/select.ts";

/** A test that waits for what no longer comes takes longer than one that passes. */
const PATIENCE = 3;
/** Characters of an error that are printed. */
const SHOWN = 200;

process.exitCode = await main(process.argv.slice(2));

async function main(texts: readonly string[]): Promise<number> {
  const all: readonly (Mutation | HouseMutation)[] = [...MUTATIONS, ...HOUSE_MUTATIONS, ...SHARD_MUTATIONS];
  const chosen = all.filter(({ rule }) => texts.length === 0 || texts.some((text) => rule.includes(text)));
  if (chosen.length === 0) {
    process.stderr.write("test:mutations: no rule of scripts/mutations contains that\n");
    return 2;
  }
  using folder = mkdtempDisposableSync(join(tmpdir(), "mutations-"));
  const root = join(folder.path, "copy");
  copyTo(root);
  const place = { root, folder: folder.path, env: { NODE_COMPILE_CACHE: join(folder.path, "compiled") } };
  const signal = interruption();
  let unnoticed = 0;
  try {
    for (const [index, mutation] of chosen.entries()) {
      const { isNoticed, how } = await play(mutation, place, index, signal);
      if (!isNoticed) unnoticed += 1;
      process.stdout.write(`${isNoticed ? "✔" : "✖"} ${mutation.rule}\n  ${mutation.removes}\n  ${how}\n`);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return 130;
  }
  return unnoticed === 0 ? 0 : 1;
}

/** The files of the checkout; what is installed is shared with it. */
function copyTo(root: string): void {
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const file of listed.split("\0").filter((one) => one !== "" && existsSync(join(ROOT, one))))
    cpSync(join(ROOT, file), join(root, file));
  for (const installed of ["node_modules", ".engines"])
    if (existsSync(join(ROOT, installed))) symlinkSync(join(ROOT, installed), join(root, installed));
}

/** Whether the test fails without the behaviour, and how. */
async function play(
  { rule, file, from, to, test, named }: Mutation | HouseMutation,
  place: Parameters<typeof runFile>[1],
  number: number,
  signal: AbortSignal,
): Promise<{ readonly isNoticed: boolean; readonly how: string }> {
  const path = join(place.root, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const options = named === undefined ? [] : [`--test-name-pattern=${named}`];
    const limitSeconds = budgetOf(test).limitSeconds * PATIENCE;
    const { failures, seconds } = await runFile({ file: test, options, limitSeconds }, place, number, signal);
    if (seconds >= limitSeconds) return { isNoticed: false, how: `${test} does not end within ${limitSeconds} s` };
    const [failure] = failures;
    if (failure === undefined) return { isNoticed: false, how: `${test} passes without it` };
    const isAtClaim = failures.some(({ error }) => error.includes(`"${rule}" does not hold`));
    const where = isAtClaim ? "at the claim" : `before the claim: ${failure.error.split("\n")[0]?.slice(0, SHOWN)}`;
    return { isNoticed: true, how: `${test}, "${failure.name}", fails after ${Math.round(seconds)} s, ${where}` };
  } finally {
    writeFileSync(path, text);
  }
}
