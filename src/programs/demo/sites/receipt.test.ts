import assert from "node:assert/strict";
import { test } from "node:test";
import { sitesReceipt, sitesReceiptLines } from "./receipt.ts";
import type { SitesOutcome } from "./scenario.ts";

const sessions = { "session:0 east": 9, "session:0 west": 19 };
const content = { counted: 30, members: 30, membersOf: { east: 10, west: 20 }, sessions, limiters: 0, text: "same" };
const outcome: SitesOutcome = {
  writes: {
    east: { acknowledged: 10, failed: 0, longestMs: 5, sessions: { "session:0 east": 9 } },
    west: { acknowledged: 20, failed: 0, longestMs: 7, sessions: { "session:0 west": 19 } },
  },
  duringCut: 4,
  healedMs: 300,
  versions: { east: "8.0", west: "8.0" },
  contents: { east: content, west: content },
};

test("both sites hold all that was acknowledged, and nothing twice: passed", () => {
  const receipt = sitesReceipt(outcome, 50);
  assert.equal(receipt.verdict, "passed");
  assert.match(
    sitesReceiptLines(receipt).join("\n"),
    /Receipt: passed[^]*30 increments[^]*failed 0[^]*both hold +the same/,
  );
});

const broken: Readonly<Record<string, SitesOutcome>> = {
  "a request failed": { ...outcome, writes: { ...outcome.writes, east: { ...outcome.writes.east, failed: 1 } } },
  "a write is missing at one site": { ...outcome, contents: { east: content, west: { ...content, members: 29 } } },
  "an increment counts twice": { ...outcome, contents: { east: { ...content, counted: 31 }, west: content } },
  "the sites hold different data": { ...outcome, contents: { east: content, west: { ...content, text: "other" } } },
  "what a session held is missing": {
    ...outcome,
    contents: { east: content, west: { ...content, sessions: { "session:0 east": 9 } } },
  },
  "a session holds an older value": {
    ...outcome,
    contents: { east: { ...content, sessions: { ...sessions, "session:0 east": 8 } }, west: content },
  },
  "a rate limiter lives on": { ...outcome, contents: { east: content, west: { ...content, limiters: 1 } } },
  "nothing was written while the network was cut": { ...outcome, duringCut: 0 },
};

for (const [what, outcomeOf] of Object.entries(broken))
  test(`${what}: failed`, () => {
    assert.equal(sitesReceipt(outcomeOf, 50).verdict, "failed");
  });
