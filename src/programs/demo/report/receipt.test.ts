import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoadResult } from "../load/clients.ts";
import { PHASES, phaseMeter } from "../load/phases.ts";
import { makeReceipt, receiptLines } from "./receipt.ts";
import { receiptPage } from "./receipt-page.ts";

const clean: LoadResult = {
  phases: PHASES.map((phase) => ({
    phase,
    seconds: 2,
    requests: 100,
    failed: 0,
    p50: 1,
    p99: phase === "cluster" ? 9 : 3,
    max: 20,
    maxStaying: 8,
  })),
  reconnects: 3,
  failures: [],
  engine: "redis 8.0.2",
  ledger: { acknowledgedWrites: 1234, lostWrites: 0, acknowledgedIncrements: 40, incrementDrift: 0, staleReads: 0 },
};

const receiptOf = (load: LoadResult) =>
  makeReceipt({
    startedAt: new Date(0),
    endedAt: new Date(61_500),
    machine: { cpus: 2, memoryGiB: 24, platform: "linux", node: "24" },
    connections: 50,
    load,
    engineBefore: "redis 7.0.15",
    stages: [
      { stage: "cluster", from: "7.22.2-14", to: "8.2.0-25.12", seconds: 9 },
      { stage: "shards", from: "1", to: "2", seconds: 3 },
      { stage: "database", from: "7.2", to: "8.0", seconds: 4 },
    ],
    switchovers: 2,
  });

const cases: readonly { name: string; load: LoadResult; verdict: "passed" | "failed" }[] = [
  { name: "nothing failed and nothing lost passes", load: clean, verdict: "passed" },
  { name: "one lost write fails", load: { ...clean, ledger: { ...clean.ledger, lostWrites: 1 } }, verdict: "failed" },
  {
    name: "one increment applied twice fails",
    load: { ...clean, ledger: { ...clean.ledger, incrementDrift: 1 } },
    verdict: "failed",
  },
  { name: "one stale read fails", load: { ...clean, ledger: { ...clean.ledger, staleReads: 1 } }, verdict: "failed" },
  { name: "the same engine before and after fails", load: { ...clean, engine: "redis 7.0.15" }, verdict: "failed" },
  {
    name: "one failed request fails",
    load: { ...clean, phases: clean.phases.map((p) => (p.phase === "cluster" ? { ...p, failed: 1 } : p)) },
    verdict: "failed",
  },
  {
    name: "a phase without load proves nothing and fails",
    load: { ...clean, phases: clean.phases.map((p) => (p.phase === "database" ? { ...p, requests: 0 } : p)) },
    verdict: "failed",
  },
];
for (const { name, load, verdict } of cases) {
  test(`receipt: ${name}`, () => assert.equal(receiptOf(load).verdict, verdict));
}

test("latency during the upgrade is that of its worst stage", () => {
  const { latency } = receiptOf(clean);
  assert.deepEqual([latency.before.p99, latency.during.p99, latency.after.p99], [3, 9, 3]);
});

test("the page and the terminal lines carry the verdict and the figures", () => {
  const receipt = receiptOf(clean);
  assert.match(receiptPage(receipt), /passed[\s\S]*1,234/);
  const lines = receiptLines(receipt).join("\n");
  assert.match(lines, /acknowledged writes +1,234, lost 0/);
  assert.match(lines, /shards +3\.0 s +1 -> 2/);
});

test("a phase meter gives each phase its own requests, failures and percentiles", () => {
  let now = 0;
  const meter = phaseMeter(() => now);
  for (const ms of [1, 2, 3]) meter.record(ms, false);
  now = 5_000;
  meter.enter("operator");
  meter.record(4, false);
  meter.record(50, true);
  meter.fail();
  now = 6_000;
  const [before, operator] = meter.numbers();
  assert.deepEqual([before?.requests, before?.seconds, before?.failed], [3, 5, 0]);
  assert.deepEqual([operator?.requests, operator?.seconds, operator?.failed], [2, 1, 1]);
  assert.ok(Math.abs((operator?.maxStaying ?? 0) - 4) < 0.1, "the pause before a reconnect is kept apart");
  assert.ok(Math.abs((operator?.max ?? 0) - 50) < 1 && Math.abs((before?.p50 ?? 0) - 2) < 0.1);
});
