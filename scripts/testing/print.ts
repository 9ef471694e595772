import { relative } from "node:path";
import { budgetOf } from "../../test/time-limits.ts";
import { ROOT } from "./select.ts";
import { sum, type Failure, type FileResult } from "./result.ts";

/** What is said of a file that has ended: one line, and its failures at once, since a run that is ended has no closing lines. */
export function fileLines(result: FileResult): string {
  return [fileLine(result), ...result.failures.flatMap(failureLines)].map((line) => `${line}\n`).join("");
}

function fileLine({ file, seconds, processorSeconds, counts, failures }: FileResult): string {
  const { passed, failed, cancelled, skipped, todo } = counts;
  const parts = [
    plural(passed + failed + cancelled + todo, "test"),
    ...(failures.length === 0 ? [] : [`${failures.length} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(seconds > budgetOf(file).seconds ? [`over its budget of ${budgetOf(file).seconds} s`] : []),
  ];
  return `${failures.length > 0 ? "✖" : "✔"} ${file} (${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of processor time): ${parts.join(", ")}`;
}

/** What is said at the end: failures, why tests were skipped, the slowest files and those that cost most, and the sums as node's own reporter has them. */
export function closing(results: readonly FileResult[], tookMs: number): string {
  const failures = results.flatMap((result) => result.failures);
  return [...failuresLines(failures), ...skipLines(results), ...tableLines(results), ...sumLines(results, tookMs)]
    .map((line) => `${line}\n`)
    .join("");
}

function failuresLines(failures: readonly Failure[]): readonly string[] {
  if (failures.length === 0) return [];
  return ["", `✖ failing tests: ${failures.length}`, ...failures.flatMap(failureLines)];
}

function failureLines({ file, name, place, ms, error }: Failure): readonly string[] {
  return ["", `test at ${placeIn(file, place)}`, `✖ ${name} (${Math.round(ms)} ms)`, error.replace(/^/gm, "  ")];
}

/** A test may be defined by a function of another file: then both are named. */
function placeIn(file: string, place: string): string {
  const at = relative(ROOT, place);
  return place === file || at.startsWith(file) ? at : `${file}, defined in ${at}`;
}

function skipLines(results: readonly FileResult[]): readonly string[] {
  const reasons = new Set(results.flatMap(({ skipped }) => skipped));
  const lines = [...reasons].map((reason) => {
    const files = results.filter(({ skipped }) => skipped.includes(reason)).map(({ file }) => file);
    return `  ${reason === "" ? "without a reason" : reason} (${files.join(", ")})`;
  });
  return lines.length === 0 ? [] : ["", "skipped:", ...lines];
}

const ROWS = 10;

function tableLines(results: readonly FileResult[]): readonly string[] {
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, ROWS);
  const dearest = results.toSorted((a, b) => b.processorSeconds - a.processorSeconds).slice(0, ROWS);
  const all = results.reduce((total, { processorSeconds }) => total + processorSeconds, 0);
  // of a few files one table says all
  if (results.length <= ROWS) return ["", "the files, the slowest first:", HEAD, ...slowest.map(row)];
  return [
    ...["", `the ${ROWS} slowest files:`, HEAD, ...slowest.map(row)],
    ...["", `the ${ROWS} that cost most of ${all.toFixed(0)} s of processor time:`, HEAD, ...dearest.map(row)],
  ];
}

const HEAD = "  seconds  budget  processor";

function row({ file, seconds, processorSeconds }: FileResult): string {
  const budget = budgetOf(file).seconds;
  const over = seconds > budget ? "  over" : "";
  const cells = [seconds.toFixed(1).padStart(9), String(budget).padStart(8), processorSeconds.toFixed(1).padStart(11)];
  return `${cells.join("")}  ${file}${over}`;
}

/** The closing lines of node's spec reporter, word for word: CI reads them. */
function sumLines(results: readonly FileResult[], tookMs: number): readonly string[] {
  const { passed, failed, cancelled, skipped, todo, suites } = sum(results.map(({ counts }) => counts));
  return [
    "",
    `ℹ tests ${passed + failed + cancelled + skipped + todo}`,
    `ℹ suites ${suites}`,
    `ℹ pass ${passed}`,
    `ℹ fail ${failed}`,
    `ℹ cancelled ${cancelled}`,
    `ℹ skipped ${skipped}`,
    `ℹ todo ${todo}`,
    `ℹ duration_ms ${tookMs.toFixed(0)}`,
  ];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
