import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { builtPrograms } from "../programs/built.ts";
import type { FileResult } from "./result.ts";
import { runFile, type Task } from "./run-file.ts";
import { ROOT } from "./select.ts";

/** One more than there are processors, as files wait for a third of their time; more than four would only show how busy the machine is. */
const CONCURRENCY = Math.min(4, availableParallelism() + 1);

/**
 * Runs the files, some at a time; `report` gets each result at once. The first worker takes the first file that is left, the others the last one:
 * the files that need most of the machine, which come first, run one after the other. An abort kills what runs and rejects.
 */
export async function runFiles(
  tasks: readonly Task[],
  report: (result: FileResult) => void,
  signal: AbortSignal,
): Promise<readonly FileResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "st-")); // short: sockets of tests lie below it
  const place = { root: ROOT, folder, env: await builtPrograms(ROOT) };
  const results: FileResult[] = [];
  const left = tasks.map((task, number) => ({ task, number }));
  const work = async (_: unknown, worker: number): Promise<void> => {
    const take = (): (typeof left)[number] | undefined => (worker === 0 ? left.shift() : left.pop());
    for (let next = take(); next !== undefined; next = take()) {
      const result = await runFile(next.task, place, next.number, signal);
      results.push(result);
      report(result);
    }
  };
  try {
    const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work));
    for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
