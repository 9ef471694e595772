// Runs test files, each in a process of its own with a limit of its own: docs/testing.md.
//   npm test                      the quick ones of test/budgets.ts
//   npm run test:all              every one
//   npm test -- <files, folders>  those; options of node's runner, such as --test-name-pattern=x, may follow
// Exit codes: 0 all passed, 1 something failed, 2 wrong arguments, 130 interrupted.
import { messageOf } from "#kit/base/fault";
import { closing, fileLines } from "./testing/print.ts";
import { interruption, Interrupted } from "./testing/interrupt.ts";
import { select } from "./testing/select.ts";
import { runFiles } from "./testing/run-files.ts";
import type { Task } from "./testing/run-file.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let tasks: readonly Task[];
  try {
    const options = args.filter((arg) => arg.startsWith("--") && arg !== "--all");
    const named = args.filter((arg) => !arg.startsWith("--"));
    tasks = select({ named, tier: args.includes("--all") ? "all" : "quick", options });
  } catch (error) {
    process.stderr.write(`test: ${messageOf(error)}\n`);
    return 2;
  }
  return await run(tasks);
}

async function run(tasks: readonly Task[]): Promise<number> {
  const begun = performance.now();
  try {
    const results = await runFiles(tasks, (result) => process.stdout.write(fileLines(result)), interruption());
    process.stdout.write(closing(results, performance.now() - begun));
    return results.every(({ failures }) => failures.length === 0) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.stderr.write(`test: interrupted by ${error.message}; what ran was ended\n`);
    return 130;
  }
}
