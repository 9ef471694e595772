import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./select.ts";

/** One run of test files, as it is kept: runs of several days add up. */
export interface RecordedRun {
  /** When it ended, ISO 8601. */
  readonly at: string;
  /** What was tested; it ends with `-dirty` when the checkout was changed. */
  readonly commit: string;
  /** The files and folders that were asked for; empty when every file was. */
  readonly named: readonly string[];
  readonly files: number;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Busy loops ran beside it. */
  readonly isBusy: boolean;
  /** `<file>: <test>`, each that failed. */
  readonly failures: readonly string[];
}

/** Adds a run to the record, which lies outside of the checkout: runs of clones add up too. */
export function recordRun(run: Omit<RecordedRun, "at" | "commit">): void {
  const path = recordPath();
  mkdirSync(dirname(path), { recursive: true });
  const whole: RecordedRun = { at: new Date().toISOString(), commit: commitOf(ROOT), ...run };
  appendFileSync(path, `${JSON.stringify(whole)}\n`);
}

/** Every run of the record, the oldest first. */
export function recordedRuns(): readonly RecordedRun[] {
  const path = recordPath();
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RecordedRun);
}

/** A line for each run, then how those of every file went together. */
export function reportOf(runs: readonly RecordedRun[]): readonly string[] {
  const whole = runs.filter(({ named }) => named.length === 0);
  const busy = whole.filter(({ isBusy }) => isBusy).length;
  const failures = whole.flatMap((run) => run.failures);
  const counted = [...Map.groupBy(failures, (text) => text)].map(([text, times]) => `  ${times.length} times  ${text}`);
  return [
    ...runs.map(rowOf),
    `${whole.length} runs of every file, ${busy} of them beside busy loops: ${failures.length} failures`,
    ...counted,
  ];
}

function rowOf({ at, commit, named, files, seconds, processorSeconds, isBusy, failures }: RecordedRun): string {
  const what = named.length === 0 ? `all ${files} files` : `${files} files of ${named.join(" ")}`;
  const times = `${Math.round(seconds)} s, ${Math.round(processorSeconds)} s of processor time`;
  return `${at.slice(0, 16)}  ${commit}  ${what}: ${times}${isBusy ? ", busy" : ""}, ${failures.length} failed`;
}

function recordPath(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? "";
  return join(cache === "" ? join(homedir(), ".cache") : cache, "store-enterprise", "test-runs.jsonl");
}

/** "unknown" where the checkout is no repository. */
function commitOf(root: string): string {
  const { stdout } = spawnSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
    cwd: root,
    encoding: "utf8",
  });
  return stdout?.trim() || "unknown";
}
