import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { runPasses, type PassRunner } from "./pass-runner.ts";

function runner(pass: () => Promise<void>): { readonly passes: PassRunner; readonly ending: AbortController } {
  const ending = new AbortController();
  const passes = runPasses("test", pass, { clock: systemClock, log: silentLog, signal: ending.signal });
  return { passes, ending };
}

test("a pass that is waited for has begun after the request", async () => {
  let begun = 0;
  const { passes, ending } = runner(async () => void (begun += 1));
  await passes.completed();
  await passes.completed();
  assert.equal(begun, 2);
  ending.abort();
  await passes.stopped;
});

test("a pass that is waited for when the runner ends is not waited for any longer", async () => {
  const { passes, ending } = runner(() => Promise.reject(new Error("no pass succeeds")));
  const waiting = passes.completed();
  ending.abort();
  await Promise.all([passes.stopped, waiting]);
});

test("one that is asked for after the end is not waited for", async () => {
  const { passes, ending } = runner(async () => undefined);
  ending.abort();
  await passes.stopped;
  await passes.completed();
});
