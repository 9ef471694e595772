import type { End, Line, Outcome } from "./events.ts";

/** Tests that ended, by outcome, and suites. */
export type Counts = Readonly<Record<Outcome | "suites", number>>;

/** A test that failed, or the file itself when it did not end as it should. */
export interface Failure {
  readonly file: string;
  /** Names from the outermost test inwards, joined with " > ". */
  readonly name: string;
  readonly place: string;
  readonly ms: number;
  readonly error: string;
}

/** What came of one test file. */
export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  /** Of it and all that it started; 0 when it was killed and could not say. */
  readonly processorSeconds: number;
  readonly counts: Counts;
  readonly failures: readonly Failure[];
  /** Why tests of it were skipped, each reason once. */
  readonly skipped: readonly string[];
}

/** How the process of a test file ended. */
export interface Ending {
  readonly seconds: number;
  readonly lines: readonly Line[];
  /** Exit code, or the signal that ended it. */
  readonly end: number | string;
  /** Its limit in seconds when that is why it was ended; 0 otherwise. */
  readonly overran: number;
  /** Command lines of processes that outlived it. */
  readonly left: readonly string[];
  /** The end of what it printed. */
  readonly output: string;
}

/** Sums counts of several files. */
export function sum(all: readonly Counts[]): Counts {
  const of = (name: keyof Counts): number => all.reduce((total, counts) => total + counts[name], 0);
  return {
    passed: of("passed"),
    failed: of("failed"),
    cancelled: of("cancelled"),
    skipped: of("skipped"),
    todo: of("todo"),
    suites: of("suites"),
  };
}

/** Reads what a file reported and how it ended. A file that was ended, or ended before its tests were done, has failed. */
export function resultOf(file: string, ending: Ending): FileResult {
  const ends = ending.lines.filter((line) => line.kind === "end");
  const tests = ends.filter(({ isSuite }) => !isSuite);
  const failed = ends.filter(({ outcome, error }) => (outcome === "failed" || outcome === "cancelled") && error !== "");
  const failures = failed.map((end) => failureOf(file, end, ending.lines));
  const problem = problemOf(ending, ends.length, failures.length);
  const whole = { file, name: file, place: file, ms: ending.seconds * 1_000 };
  const count = (outcome: Outcome): number => tests.filter((test) => test.outcome === outcome).length;
  return {
    file,
    seconds: ending.seconds,
    processorSeconds: ending.lines.findLast((line) => line.kind === "used")?.seconds ?? 0,
    counts: {
      passed: count("passed"),
      failed: count("failed") + (problem === undefined ? 0 : 1),
      cancelled: count("cancelled"),
      skipped: count("skipped"),
      todo: count("todo"),
      suites: ends.length - tests.length,
    },
    failures: problem === undefined ? failures : [...failures, { ...whole, error: problem }],
    skipped: [...new Set(ends.filter(({ outcome }) => outcome === "skipped").map(({ reason }) => reason))],
  };
}

function failureOf(file: string, end: End, lines: readonly Line[]): Failure {
  return { file, name: pathOf(end, lines).join(" > "), place: end.place, ms: end.ms, error: end.error };
}

/** Names from the outermost test inwards. */
function pathOf({ name, parent }: Pick<End, "name" | "parent">, lines: readonly Line[]): readonly string[] {
  const outer = lines.find((line) => line.kind === "begin" && line.id === parent);
  return outer?.kind === "begin" ? [...pathOf(outer, lines), name] : [name];
}

/** What is wrong with the file as a whole; undefined when nothing is. */
function problemOf(ending: Ending, ends: number, failures: number): string | undefined {
  const said = ending.output === "" ? "" : `\n${ending.output}`;
  if (ending.overran > 0)
    return `it did not end within its limit of ${ending.overran} s and was killed; ${progressOf(ending.lines)}${said}`;
  if (!ending.lines.some(({ kind }) => kind === "summary"))
    return `it ended with ${ending.end} before its tests were done; ${progressOf(ending.lines)}${said}`;
  if (ending.left.length > 0)
    return `processes outlived it and were killed:\n${ending.left.map((line) => `  ${line}`).join("\n")}`;
  if (ends === 0) return `it has no test${said}`;
  if (ending.end === 0 || failures > 0) return undefined;
  const notes = ending.lines.filter((line) => line.kind === "note").map(({ text }) => text);
  return [`it ended with ${ending.end} although no test failed`, ...notes].join("\n") + said;
}

/** How far a file was: what had ended, and what was running. */
function progressOf(lines: readonly Line[]): string {
  const ended = new Set(lines.filter((line) => line.kind === "end").map(({ id }) => id));
  const running = lines.filter((line) => line.kind === "begin").filter(({ id }) => !ended.has(id));
  const innermost = running.filter(({ id }) => !running.some(({ parent }) => parent === id));
  const names = innermost.map((begin) => pathOf(begin, lines).join(" > "));
  const what = names.length === 0 ? "no test was running" : `running: ${names.join("; ")}`;
  return `${ended.size} tests had ended, ${what}`;
}
