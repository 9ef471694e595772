import { globSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { budgetOf, isQuick, limitOf } from "../../test/time-limits.ts";
import type { Task } from "./run-file.ts";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** Which files to run, and with what options of node's test runner. */
export interface Choice {
  /** Files and folders; empty when the tier decides. */
  readonly named: readonly string[];
  readonly tier: "quick" | "all";
  readonly options: readonly string[];
}

/** The chosen files, those with the largest budget first. Throws when a named file is not there. */
export function select({ named, tier, options }: Choice): readonly Task[] {
  const files =
    named.length > 0 ? named.flatMap(filesOf) : filesOf(ROOT).filter((file) => tier === "all" || isQuick(file));
  return files
    .map((file) => ({ file, options, limitSeconds: limitOf(file, process.env) }))
    .toSorted((a, b) => budgetOf(b.file).seconds - budgetOf(a.file).seconds);
}

/** Paths from the root: the file itself, or every test file of a folder. */
function filesOf(name: string): readonly string[] {
  const path = resolve(name);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`there is no file ${name}`);
  if (!stats.isDirectory()) return [relative(ROOT, path)];
  const found = globSync("**/*.test.ts", { cwd: path, exclude: ["**/node_modules"] });
  return found.map((file) => relative(ROOT, join(path, file))).sort();
}
