// Runs test files again and again, to find those that fail now and then: docs/testing.md.
//   npm run test:repeat -- 10 --busy 3            every file, ten times; the last three beside two busy loops
//   npm run test:repeat -- 20 test/scenario       the files named, or of the folders named
//   npm run test:repeat -- --report               what all runs on this machine came to, of this checkout and others
// Exit codes: 0 no failure in any run, 1 a failure, 2 wrong arguments, 130 interrupted.
import { messageOf } from "#kit/base/fault";
import { busyLoops } from "./testing/busy-loops.ts";
import { interruption, Interrupted } from "./testing/interrupt.ts";
import { recordedRuns, recordRun, reportOf } from "./testing/record.ts";
import { repeatArguments, type Repetition } from "./testing/repeat-arguments.ts";
import type { FileResult } from "./testing/result.ts";
import { runFiles } from "./testing/run-files.ts";
import { select } from "./testing/select.ts";

const LOOPS = 2;
/** On two processors, tests get half of the time: their limits are as much longer. */
const SLOWED_BY_LOOPS = 2;
const FAILED = 1;
const WRONG_ARGUMENTS = 2;
const INTERRUPTED = 130;

/** One run of all files. */
interface Run {
  readonly title: string;
  readonly isBusy: boolean;
  readonly seconds: number;
  readonly results: readonly FileResult[];
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.join() === "--report") {
    for (const line of reportOf(recordedRuns())) say(line);
    return 0;
  }
  let repetition: Repetition;
  try {
    repetition = repeatArguments(args);
    select(repetition);
  } catch (error) {
    process.stderr.write(`test:repeat: ${messageOf(error)}\n`);
    return WRONG_ARGUMENTS;
  }
  const runs: Run[] = [];
  const signal = interruption();
  try {
    for (let number = 1; number <= repetition.times; number++) {
      const run = await runOnce(number, repetition, signal);
      runs.push(run);
      print(run);
      record(run, repetition);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    summarize(runs);
    return INTERRUPTED;
  }
  summarize(runs);
  return runs.some((run) => failuresOf(run).length > 0) ? FAILED : 0;
}

async function runOnce(number: number, repetition: Repetition, signal: AbortSignal): Promise<Run> {
  const isBusy = number > repetition.times - repetition.busy;
  using _loops = busyLoops(isBusy ? LOOPS : 0);
  const begun = performance.now();
  const tasks = select(repetition);
  const patient = tasks.map((task) => ({ ...task, limitSeconds: task.limitSeconds * SLOWED_BY_LOOPS }));
  const results = await runFiles(isBusy ? patient : tasks, () => undefined, signal);
  const title = `run ${number} of ${repetition.times}${isBusy ? ", beside two busy loops" : ""}`;
  return { title, isBusy, results, seconds: (performance.now() - begun) / 1_000 };
}

function record(run: Run, { named }: Repetition): void {
  recordRun({
    named,
    files: run.results.length,
    seconds: run.seconds,
    processorSeconds: run.results.reduce((total, { processorSeconds }) => total + processorSeconds, 0),
    isBusy: run.isBusy,
    failures: failuresOf(run).map(({ file, name }) => `${file}: ${name}`),
  });
}

function print(run: Run): void {
  const failures = failuresOf(run);
  say(`${failures.length === 0 ? "✔" : "✖"} ${run.title}: ${Math.round(run.seconds)} s, ${failures.length} failed`);
  for (const { file, name, error } of failures) say(`  ${file}: ${name}\n${error.replace(/^/gm, "    ")}`);
}

function summarize(runs: readonly Run[]): void {
  const all = runs.flatMap(failuresOf).map(({ file, name }) => `${file}: ${name}`);
  const counted = [...Map.groupBy(all, (text) => text)].map(([text, times]) => `  ${times.length} times  ${text}`);
  const seconds = runs.map((run) => Math.round(run.seconds));
  say("");
  say(`${runs.length} runs (${seconds.join(", ")} s), ${all.length} failures`);
  for (const line of counted) say(line);
}

function failuresOf({ results }: Run): FileResult["failures"] {
  return results.flatMap(({ failures }) => failures);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
