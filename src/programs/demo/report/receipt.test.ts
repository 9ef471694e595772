import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import type { LoadResult } from "../load/clients.ts";
import { PHASES, phaseMeter } from "../load/phases.ts";
import { makeReceipt, receiptLines } from "./receipt.ts";
import { receiptPage } from "./receipt-page.ts";
import { chartData } from "./timeline-section.ts";

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
  timeline: {
    beganAt: 1_000,
    stretchMs: 100,
    requests: [5, 0, 4],
    failed: [0, 0, 1],
    reconnects: [0, 0, 2],
    median: [1, 0, 2],
    longestStaying: [3, 0, 8],
    longest: [3, 0, 20],
  },
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
    marks: [
      { at: 1_000, kind: "stage", text: "cluster" },
      { at: 1_250, kind: "move", text: "</script>shard 1 has another primary" },
    ],
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

test("the chart has a point for each stretch with requests, and marks at their seconds", () => {
  const { timeline, marks } = receiptOf(clean);
  const { columns, reconnects, marks: shown } = chartData(timeline, marks);
  assert.deepEqual(columns, [
    [0, 0.1, 0.2],
    [1, null, 2],
    [3, null, 8],
    [null, null, 20],
    [null, null, 20],
  ]);
  assert.deepEqual([reconnects, shown.map(({ seconds }) => seconds)], [[0.2], [0, 0.25]]);
});

test("the page needs nothing else to draw the chart, has the licence of its library, and its moments as a table", () => {
  const page = receiptPage(receiptOf(clean));
  assert.match(
    page,
    /<td>0\.3<\/td><td>&lt;\/script&gt;shard 1 has another primary<\/td><td>20\.0<\/td><td>8\.0<\/td><td>1<\/td><td>2<\/td>/,
  );
  assert.match(page, /The MIT License \(MIT\)\s+Copyright \(c\) 2022 Leon Sorokin/);
  assert.doesNotMatch(page, /(?:src|href)=/, "nothing is fetched");
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script);
  assert.equal(scripts.length, 1);
  assert.deepEqual(playChart(scripts[0] ?? ""), ["#chart", "5 series", "shown", "cluster"]);
});

/** Runs the script of a page with a library that records what it is given. */
function playChart(script: string): readonly string[] {
  const seen: string[] = [];
  const pen = new Proxy({}, { get: (_, name) => (text: string) => void (name === "fillText" && seen.push(text)) });
  class Plot {
    readonly ctx = pen;
    readonly bbox = { left: 0, top: 0, width: 10, height: 10 };
    readonly valToPos = (value: number) => value;
    constructor(options: { series: object[]; hooks: { drawAxes: ((plot: Plot) => void)[] } }, columns: object[]) {
      seen.push(`${options.series.length} series`, columns.length === options.series.length ? "shown" : "apart");
      for (const draw of options.hooks.drawAxes) draw(this);
    }
  }
  const document = {
    getElementById: (id: string) => {
      seen.push(`#${id}`);
      return { clientWidth: 100 };
    },
  };
  const window = { getComputedStyle: () => ({ color: "black" }), addEventListener: () => undefined };
  const [, ours = ""] = /^(function drawUpright[\s\S]*)$/m.exec(script) ?? [];
  runInNewContext(ours, { uPlot: Plot, document, window });
  return seen;
}

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
