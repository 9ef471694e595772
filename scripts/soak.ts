// Seeded chaos on three real nodes, each seed in a process of its own: docs/testing.md.
//   npm run soak -- [--seeds n] [--from seed] [--minutes m] [--result file]
// Exit codes: 0 all passed, 1 a seed failed, 2 wrong arguments, 3 skipped: not possible on this machine, 130 interrupted.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../src/core/base/fault.ts";
import { runSeed, whyNotPlayable } from "../test/kit/chaos/run.ts";
import { scheduleOf, textOf } from "../test/kit/chaos/schedule.ts";
import type { Verdict } from "../test/kit/chaos/verdict.ts";

const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;
const INTERRUPTED = 130;

interface Wanted {
  readonly seeds: number;
  readonly from: number;
  readonly minutes: number;
  readonly result: string;
}

process.on("SIGINT", () => process.exit(INTERRUPTED));
process.on("SIGTERM", () => process.exit(INTERRUPTED));
process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = wantedOf(process.argv.slice(2));
  if (typeof wanted === "string") {
    say(`${wanted}\nnpm run soak -- [--seeds 20] [--from 1] [--minutes 600] [--result soak.json]`);
    return WRONG_ARGUMENTS;
  }
  const obstacle = whyNotPlayable();
  if (obstacle !== undefined) {
    say(`skipped: ${obstacle}`);
    return NOT_POSSIBLE;
  }
  const verdicts = await playAll(wanted);
  writeFileSync(wanted.result, `${JSON.stringify({ ...wanted, verdicts }, undefined, 1)}\n`);
  return summarize(verdicts, wanted);
}

async function playAll({ seeds, from, minutes }: Wanted): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const began = performance.now();
  for (let seed = from; seed < from + seeds && performance.now() - began < minutes * 60_000; seed += 1) {
    const folder = mkdtempSync(join(tmpdir(), `soak-${seed}-`));
    const lines: string[] = [];
    const verdict = await runSeed(seed, folder, (line) => {
      lines.push(line);
      draw(`seed ${seed}: ${line}`);
    }).catch((error: unknown) => failed(seed, messageOf(error)));
    verdicts.push(verdict);
    draw("");
    say(lineOf(verdict, verdicts.length, seeds));
    if (verdict.failures.length === 0) rmSync(folder, { recursive: true, force: true });
    else
      say(
        [...verdict.failures.map(shortened), ...lines, `logs: ${folder}`, replay(seed)]
          .map((line) => `    ${line}`)
          .join("\n"),
      );
  }
  return verdicts;
}

function lineOf(
  { seed, faults, moves, changes, operations, lost, healedMs, failures }: Verdict,
  done: number,
  of: number,
): string {
  const outcome = failures.length === 0 ? "passed" : "FAILED";
  return `${done}/${of}  seed ${seed} ${outcome}: ${faults} faults, ${moves} moves, ${changes} changes of the primary, ${operations} operations, ${lost} lost, healed in ${(healedMs / 1_000).toFixed(1)} s`;
}

function summarize(verdicts: readonly Verdict[], { result }: Wanted): number {
  const sum = (of: (verdict: Verdict) => number): number => verdicts.reduce((all, verdict) => all + of(verdict), 0);
  const bad = verdicts.filter(({ failures }) => failures.length > 0);
  say(
    `${verdicts.length} seeds, ${bad.length} failed: ${sum(({ faults }) => faults)} faults, ${sum(({ moves }) => moves)} moves, ` +
      `${sum(({ changes }) => changes)} changes of the primary, ${sum(({ operations }) => operations)} operations, ` +
      `${sum(({ acknowledged }) => acknowledged)} writes of their own key, ${sum(({ lost }) => lost)} lost; ` +
      `longest to heal ${(Math.max(0, ...verdicts.map(({ healedMs }) => healedMs)) / 1_000).toFixed(1)} s; ${result}`,
  );
  for (const { seed } of bad) say(`  ${replay(seed)}`);
  return bad.length === 0 ? 0 : 1;
}

function replay(seed: number): string {
  return `again: npm run soak -- --seeds 1 --from ${seed}`;
}

function failed(seed: number, why: string): Verdict {
  const { faults, moves } = scheduleOf(seed);
  const counts = { faults: faults.length, moves: moves.length, changes: 0, operations: 0, acknowledged: 0, lost: 0 };
  return { seed, ...counts, healedMs: 0, failures: [why, ...[...faults, ...moves].map(textOf)] };
}

function wantedOf(args: readonly string[]): Wanted | string {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    const options = { seeds: text("20"), from: text("1"), minutes: text("600"), result: text("soak.json") };
    const { values } = parseArgs({ args: [...args], options });
    const [seeds = 0, from = 0, minutes = 0] = [values.seeds, values.from, values.minutes].map(Number);
    const isWhole = [seeds, from, minutes].every((value) => Number.isInteger(value) && value > 0);
    return isWhole ? { seeds, from, minutes, result: values.result } : "each number is a whole one from 1";
  } catch (error) {
    return messageOf(error);
  }
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
