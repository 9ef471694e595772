#!/usr/bin/env node
import { runStorectl } from "../cli/storectl.ts";
import { systemClock } from "../reconcile/system-clock.ts";
import { reportAndExit } from "./exit.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // the reader of a pipe has seen enough, as `| head` does
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runStorectl(process.argv.slice(2), {
  env: process.env,
  print: (text) => process.stdout.write(text),
  clock: systemClock,
}).catch(reportAndExit);
