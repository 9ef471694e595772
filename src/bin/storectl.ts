#!/usr/bin/env node
import { basename } from "node:path";
import { createInterface } from "node:readline/promises";
import { runStorectl } from "../programs/cli/storectl.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { reportToPersonAndExit } from "./exit.ts";
import { programPath } from "./program-path.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // the reader of a pipe has seen enough, as `| head` does
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runStorectl(process.argv.slice(2), {
  // kubectl finds its plugins by name
  name: basename(process.argv[1] ?? "").startsWith("kubectl-store") ? "kubectl store" : "storectl",
  ...(process.stdout.isTTY ? { terminal: { columns: () => process.stdout.columns } } : {}),
  interrupt: interruptSignal,
  ...(process.stdin.isTTY ? { ask } : {}),
  env: process.env,
  store: programPath(),
  print: (text) => process.stdout.write(text),
  clock: systemClock,
}).catch(reportToPersonAndExit);

/** The first Ctrl-C lets the command end in good order, the second one ends it at once. */
function interruptSignal(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => {
    stop.abort(new Error("interrupted"));
  });
  return stop.signal;
}

/** What the user types; nothing when the terminal is closed or Ctrl-C is typed instead. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
  };
  terminal.once("close", leave);
  terminal.once("SIGINT", leave); // typed
  process.once("SIGINT", leave); // sent by another program
  try {
    return await terminal.question(question, { signal: gone.signal });
  } catch (error) {
    if (gone.signal.aborted) return "";
    throw error;
  } finally {
    process.off("SIGINT", leave);
    terminal.close();
  }
}
