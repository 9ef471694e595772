import { ALWAYS, BUDGETS, DEFAULT_LIMIT_SECONDS, DEFAULT_SECONDS, QUICK_SECONDS, type Budget } from "./budgets.ts";

/** Variables that make a test longer than it is in CI: who sets one waits as long as a test takes, up to LONG_SECONDS. */
const LENGTHENED_BY: readonly string[] = [
  ...["FUZZ_PIPELINES", "FUZZ_REQUESTS", "FUZZ_RECORDS", "FUZZ_CERTIFICATES", "FUZZ_ARCHIVES"],
  ...["MOVES", "CRASHES", "SHARDS", "FREEZE_ROUNDS", "CHAOS_SEEDS", "SITES_SEEDS"],
  ...["LINK_WRITES", "MERGE_SCHEDULES", "MERGE_HISTORIES", "OLDER_RELEASES"],
];
const LONG_SECONDS = 86_400;

/** How many seconds a file gets with these variables before it is killed. */
export function limitOf(file: string, variables: NodeJS.ProcessEnv): number {
  const isLonger = LENGTHENED_BY.some((name) => variables[name] !== undefined);
  return isLonger ? LONG_SECONDS : budgetOf(file).limitSeconds;
}

/** The budget of a file, by its path from the root of the repository. */
export function budgetOf(file: string): Budget {
  const row = BUDGETS[file] ?? DEFAULT_SECONDS;
  return typeof row === "number"
    ? { seconds: row, limitSeconds: DEFAULT_LIMIT_SECONDS }
    : { seconds: row[0], limitSeconds: row[1] };
}

/** Whether `npm test` runs the file. */
export function isQuick(file: string): boolean {
  return budgetOf(file).seconds <= QUICK_SECONDS || file in ALWAYS;
}
