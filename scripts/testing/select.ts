import { existsSync, globSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { budgetOf, isQuick } from "../../test/budgets.ts";
import type { Task } from "./run-file.ts";

/** Every test file of the repository, by path from its root. */
export function allTestFiles(root: string): readonly string[] {
  return globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root }).sort();
}

/** What to run, the files that take longest first: those named, else all, else the quick ones. */
export function select(
  root: string,
  { named, all, options }: { named: readonly string[]; all: boolean; options: readonly string[] },
): readonly Task[] {
  const missing = named.find((file) => !existsSync(resolve(file)));
  if (missing !== undefined) throw new Error(`there is no file ${missing}`);
  const every = allTestFiles(root);
  const files = named.length > 0 ? named.map((file) => relative(root, resolve(file))) : every;
  return files
    .filter((file) => named.length > 0 || all || isQuick(file))
    .map((file) => ({ file, options, limitSeconds: budgetOf(file).limitSeconds }))
    .toSorted((a, b) => budgetOf(b.file).seconds - budgetOf(a.file).seconds);
}

/** The folder that holds everything. */
export const ROOT = join(import.meta.dirname, "../..");
