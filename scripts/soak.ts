// Seeded chaos on three real nodes, each seed in a process of its own: docs/testing.md.
//   npm run soak -- [--seeds n] [--from seed] [--parallel n] [--minutes m] [--faults n] [--shards n] [--settings json] [--result file]
// Exit codes: 0 all passed, 1 a seed failed, 2 wrong arguments, 3 skipped: not possible on this machine, 130 interrupted.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { runSeed, whyNotPlayable } from "../test/kit/chaos/run.ts";
import { scheduleOf, textOf } from "../test/kit/chaos/schedule.ts";
import type { Verdict } from "../test/kit/chaos/verdict.ts";
import { onInterrupt } from "./soaking/interrupted.ts";
import { USAGE, wantedOf, type Wanted } from "./soaking/wanted.ts";
import { builtPrograms } from "./programs/built.ts";
import { ROOT } from "./testing/select.ts";

const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;

process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = wantedOf(process.argv.slice(2));
  if (typeof wanted === "string") {
    say(`${wanted}\n${USAGE}`);
    return WRONG_ARGUMENTS;
  }
  const obstacle = whyNotPlayable();
  if (obstacle !== undefined) {
    say(`skipped: ${obstacle}`);
    return NOT_POSSIBLE;
  }
  Object.assign(process.env, await builtPrograms(ROOT));
  const verdicts: Verdict[] = [];
  onInterrupt(() => summarize(verdicts, wanted));
  await playAll(wanted, verdicts);
  return summarize(verdicts, wanted);
}

/** Plays the seeds, some at a time; what is known is in the file of the result after each. */
async function playAll(wanted: Wanted, verdicts: Verdict[]): Promise<void> {
  const { seeds, from, parallel, minutes, result } = wanted;
  const until = performance.now() + minutes * 60_000;
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + seeds && performance.now() < until) {
      const played = await play(next++, wanted);
      verdicts.push(played.verdict);
      writeFileSync(result, `${JSON.stringify({ ...wanted, verdicts }, undefined, 1)}\n`);
      draw("");
      say(lineOf(played.verdict, verdicts.length, seeds));
      for (const line of played.story) say(`    ${line}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** The verdict on a seed, and of one that failed what happened and where its files are. */
async function play(seed: number, wanted: Wanted): Promise<{ verdict: Verdict; story: readonly string[] }> {
  const { settings, faults: most } = wanted;
  const folder = mkdtempSync(join(tmpdir(), `soak-${seed}-`));
  const lines: string[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    draw(`seed ${seed}: ${line}`);
  };
  const verdict = await runSeed({ seed, most, folder, settings, say: keep }).catch((error: unknown) =>
    failed(seed, most, messageOf(error)),
  );
  if (verdict.failures.length > 0)
    return { verdict, story: [...verdict.failures.map(shortened), ...lines, `logs: ${folder}`, replay(seed, wanted)] };
  rmSync(folder, { recursive: true, force: true });
  return { verdict, story: [] };
}

function lineOf(
  { seed, faults, moves, changes, operations, answers, lost, healedMs, failures }: Verdict,
  done: number,
  of: number,
): string {
  const outcome = failures.length === 0 ? "passed" : "FAILED";
  return `${done}/${of}  seed ${seed} ${outcome}: ${faults} faults, ${moves} moves, ${changes} changes of the primary, ${operations} operations, ${answers} answers of lives, ${lost} lost, healed in ${(healedMs / 1_000).toFixed(1)} s`;
}

function summarize(verdicts: readonly Verdict[], wanted: Wanted): number {
  const sum = (of: (verdict: Verdict) => number): number => verdicts.reduce((all, verdict) => all + of(verdict), 0);
  const bad = verdicts.filter(({ failures }) => failures.length > 0);
  say(
    `${verdicts.length} seeds, ${bad.length} failed: ${sum(({ faults }) => faults)} faults, ${sum(({ moves }) => moves)} moves, ` +
      `${sum(({ changes }) => changes)} changes of the primary, ${sum(({ operations }) => operations)} operations, ${sum(({ answers }) => answers)} answers of lives, ` +
      `${sum(({ acknowledged }) => acknowledged)} writes of their own key, ${sum(({ lost }) => lost)} lost; ` +
      `longest to heal ${(Math.max(0, ...verdicts.map(({ healedMs }) => healedMs)) / 1_000).toFixed(1)} s; ${wanted.result}`,
  );
  for (const { seed } of bad) say(`  ${replay(seed, wanted)}`);
  return bad.length === 0 ? 0 : 1;
}

function replay(seed: number, { faults, settings }: Wanted): string {
  return `again: npm run soak -- --seeds 1 --from ${seed} --faults ${faults} --settings '${settings}'`;
}

function failed(seed: number, most: number, why: string): Verdict {
  const { faults, moves } = scheduleOf(seed, most);
  const counts = { faults: faults.length, moves: moves.length, changes: 0, operations: 0, answers: 0 };
  return {
    seed,
    ...counts,
    acknowledged: 0,
    lost: 0,
    healedMs: 0,
    failures: [why, ...[...faults, ...moves].map(textOf)],
  };
}

/** One line that the next one overwrites, on a terminal alone. */
function draw(line: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line.slice(0, (process.stdout.columns || 80) - 1)}`);
}

function shortened(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)} …` : text;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
