// Seeded chaos on three real nodes, each seed in a process of its own: docs/testing.md.
//   npm run soak -- [--seeds n] [--from seed] [--minutes m] [--faults n] [--settings json] [--result file]
// Exit codes: 0 all passed, 1 a seed failed, 2 wrong arguments, 3 skipped: not possible on this machine, 130 interrupted.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../src/core/base/fault.ts";
import { runSeed, whyNotPlayable } from "../test/kit/chaos/run.ts";
import { MOST_FAULTS, scheduleOf, textOf } from "../test/kit/chaos/schedule.ts";
import type { Verdict } from "../test/kit/chaos/verdict.ts";

const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;
const INTERRUPTED = 130;

interface Wanted {
  readonly seeds: number;
  readonly from: number;
  readonly minutes: number;
  /** Of one seed, at most. */
  readonly faults: number;
  /** Of both databases, as `POST /v1/bdbs` takes them. */
  readonly settings: string;
  readonly result: string;
}

process.on("SIGINT", () => process.exit(INTERRUPTED));
process.on("SIGTERM", () => process.exit(INTERRUPTED));
process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = wantedOf(process.argv.slice(2));
  if (typeof wanted === "string") {
    say(
      `${wanted}\nnpm run soak -- [--seeds 20] [--from 1] [--minutes 600] [--faults 6] [--settings '{"data_persistence":"aofAlways"}'] [--result soak.json]`,
    );
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

async function playAll(wanted: Wanted): Promise<readonly Verdict[]> {
  const { seeds, from, minutes, settings, faults: most } = wanted;
  const verdicts: Verdict[] = [];
  const began = performance.now();
  for (let seed = from; seed < from + seeds && performance.now() - began < minutes * 60_000; seed += 1) {
    const folder = mkdtempSync(join(tmpdir(), `soak-${seed}-`));
    const lines: string[] = [];
    const keep = (line: string): void => {
      lines.push(line);
      draw(`seed ${seed}: ${line}`);
    };
    const verdict = await runSeed({ seed, most, folder, settings, say: keep }).catch((error: unknown) =>
      failed(seed, most, messageOf(error)),
    );
    verdicts.push(verdict);
    draw("");
    say(lineOf(verdict, verdicts.length, seeds));
    if (verdict.failures.length === 0) rmSync(folder, { recursive: true, force: true });
    else
      say(
        [...verdict.failures.map(shortened), ...lines, `logs: ${folder}`, replay(seed, wanted)]
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

function summarize(verdicts: readonly Verdict[], wanted: Wanted): number {
  const sum = (of: (verdict: Verdict) => number): number => verdicts.reduce((all, verdict) => all + of(verdict), 0);
  const bad = verdicts.filter(({ failures }) => failures.length > 0);
  say(
    `${verdicts.length} seeds, ${bad.length} failed: ${sum(({ faults }) => faults)} faults, ${sum(({ moves }) => moves)} moves, ` +
      `${sum(({ changes }) => changes)} changes of the primary, ${sum(({ operations }) => operations)} operations, ` +
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
  const counts = { faults: faults.length, moves: moves.length, changes: 0, operations: 0, acknowledged: 0, lost: 0 };
  return { seed, ...counts, healedMs: 0, failures: [why, ...[...faults, ...moves].map(textOf)] };
}

function wantedOf(args: readonly string[]): Wanted | string {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    const options = {
      seeds: text("20"),
      from: text("1"),
      minutes: text("600"),
      faults: text(String(MOST_FAULTS)),
      settings: text("{}"),
      result: text("soak.json"),
    };
    const { values } = parseArgs({ args: [...args], options });
    const [seeds = 0, from = 0, minutes = 0, faults = 0] = [
      values.seeds,
      values.from,
      values.minutes,
      values.faults,
    ].map(Number);
    const isWhole = [seeds, from, minutes, faults].every((value) => Number.isInteger(value) && value > 0);
    JSON.parse(values.settings);
    const { settings, result } = values;
    return isWhole ? { seeds, from, minutes, faults, settings, result } : "each number is a whole one from 1";
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
