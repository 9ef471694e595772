import assert from "node:assert/strict";
import { test } from "node:test";
import { FailedStarts } from "./failed-starts.ts";

const MINUTE = 60_000;
const files = { dir: "/nowhere", logFile: "/nowhere/engine.log" };
const killed = { code: undefined, signal: "SIGKILL" } as const;

test("ends soon after it served are a row, which an engine that serves for five minutes ends", () => {
  const engine = new FailedStarts(Object.assign(Object.create(null), files));
  engine.ended(killed, 0.3 * MINUTE);
  engine.ended(killed, 4 * MINUTE);
  assert.deepEqual(engine.report(4 * MINUTE), { failed_starts: 0, last_words: "", crashes: 2, ended_by: "SIGKILL" });
  assert.equal(engine.report(5 * MINUTE).crashes, 0);
  engine.ended({ code: 1, signal: undefined }, MINUTE);
  assert.deepEqual([engine.report(0).crashes, engine.report(0).ended_by], [1, "itself, with code 1"]);
});

test("an end after long service begins a row anew", () => {
  const engine = new FailedStarts(Object.assign(Object.create(null), files));
  engine.ended(killed, MINUTE);
  engine.ended(killed, 6 * MINUTE);
  assert.equal(engine.report(0).crashes, 1);
});

test("one that ends before it serves and has said nothing is reported with what ended it", async () => {
  const engine = new FailedStarts(Object.assign(Object.create(null), files));
  engine.started();
  engine.ended({ code: undefined, signal: "SIGSEGV" }, 0);
  await engine.readLastWords("primary");
  assert.equal(engine.report(0).last_words, "it said nothing, and was ended by SIGSEGV");
});
