import type { LoadResult } from "../load/clients.ts";
import type { Mark, Timeline } from "../load/timeline.ts";
import type { Phase, PhaseNumbers } from "../load/phases.ts";

/** What one stage of the upgrade changed and how long it took. */
export interface StageReceipt {
  readonly stage: "operator" | "cluster" | "shards" | "database";
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
}

/** The proof of an upgrade under load: the content of `receipt.json`. Times in milliseconds unless the name says otherwise. */
export interface Receipt {
  readonly startedAt: string;
  readonly totalSeconds: number;
  readonly machine: {
    readonly cpus: number;
    readonly memoryGiB: number;
    readonly platform: string;
    readonly node: string;
  };
  readonly connections: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly acknowledgedWrites: number;
  readonly lostWrites: number;
  readonly acknowledgedIncrements: number;
  readonly incrementDrift: number;
  readonly staleReads: number;
  /** Connections that were closed between two requests when their node left, and opened again by the client library. */
  readonly reconnects: number;
  readonly longestStall: number;
  /** The same for requests without a reconnect: without the pause of a client library before it reconnects. */
  readonly longestStallStaying: number;
  readonly latency: { readonly before: Latency; readonly during: Latency; readonly after: Latency };
  readonly phases: readonly PhaseNumbers[];
  readonly stages: readonly StageReceipt[];
  /** What `INFO server` says through the endpoint before the first stage and after the last. */
  readonly engine: { readonly before: string; readonly after: string };
  /** Changes of primary that the whole upgrade took; another number of shards is none. */
  readonly switchovers: number;
  /** What clients saw from moment to moment, and what happened then. */
  readonly timeline: Timeline;
  readonly marks: readonly Mark[];
  /** What client libraries reported; empty unless requests failed or connections were refused. */
  readonly failures: readonly string[];
  readonly verdict: "passed" | "failed";
}

/** In milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What a receipt is made from. */
export interface ReceiptFacts {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly machine: Receipt["machine"];
  readonly connections: number;
  readonly load: LoadResult;
  readonly engineBefore: string;
  readonly stages: readonly StageReceipt[];
  readonly switchovers: number;
  readonly marks: readonly Mark[];
}

/**
 * Passed means: no failed request, no lost write, no increment lost or doubled, no stale read, load in each phase, and
 * another engine in the end.
 */
export function makeReceipt(facts: ReceiptFacts): Receipt {
  const { load } = facts;
  const { phases } = load;
  const failedRequests = phases.reduce((sum, phase) => sum + phase.failed, 0);
  const faultless =
    failedRequests === 0 &&
    load.ledger.lostWrites === 0 &&
    load.ledger.incrementDrift === 0 &&
    load.ledger.staleReads === 0;
  const during = facts.stages.map(({ stage }) => stage);
  const isMeasured = (name: Phase): boolean => phases.some(({ phase, requests }) => phase === name && requests > 0);
  const measured = (["before", ...during, "after"] as const).every(isMeasured);
  return {
    startedAt: facts.startedAt.toISOString(),
    totalSeconds: Math.round((facts.endedAt.getTime() - facts.startedAt.getTime()) / 100) / 10,
    machine: facts.machine,
    connections: facts.connections,
    requests: phases.reduce((sum, phase) => sum + phase.requests, 0),
    failedRequests,
    ...load.ledger,
    reconnects: load.reconnects,
    longestStall: Math.max(...phases.map((phase) => phase.max)),
    longestStallStaying: Math.max(...phases.map((phase) => phase.maxStaying)),
    latency: {
      before: latencyOf(phases, ["before"]),
      during: latencyOf(phases, during),
      after: latencyOf(phases, ["after"]),
    },
    phases,
    stages: facts.stages,
    engine: { before: facts.engineBefore, after: load.engine },
    switchovers: facts.switchovers,
    timeline: load.timeline,
    marks: facts.marks,
    failures: load.failures,
    verdict: faultless && measured && load.engine !== facts.engineBefore ? "passed" : "failed",
  };
}

/** The worst of several phases, because percentiles cannot be averaged. */
function latencyOf(phases: readonly PhaseNumbers[], names: readonly Phase[]): Latency {
  const chosen = phases.filter((phase) => names.includes(phase.phase));
  const worst = (pick: (phase: PhaseNumbers) => number): number => Math.max(0, ...chosen.map(pick));
  return { p50: worst((p) => p.p50), p99: worst((p) => p.p99), max: worst((p) => p.max) };
}

/** The receipt as lines for a terminal. */
export function receiptLines(receipt: Receipt): string[] {
  const count = (n: number): string => n.toLocaleString("en-US");
  const { before, during, after } = receipt.latency;
  const latency = (name: string, l: Latency): string =>
    `  ${name.padEnd(22)}p50 ${l.p50.toFixed(1)} ms   p99 ${l.p99.toFixed(1)} ms   longest ${l.max.toFixed(1)} ms`;
  return [
    `Receipt: ${receipt.verdict}`,
    "",
    `  acknowledged writes   ${count(receipt.acknowledgedWrites)}, lost ${count(receipt.lostWrites)}`,
    `  increments            ${count(receipt.acknowledgedIncrements)}; the counters differ by ${count(receipt.incrementDrift)}`,
    `  requests              ${count(receipt.requests)} over ${receipt.connections} connections, failed ${count(receipt.failedRequests)}, stale reads ${count(receipt.staleReads)}`,
    `  longest request       ${receipt.longestStall.toFixed(1)} ms; ${receipt.longestStallStaying.toFixed(1)} ms without a reconnect`,
    `  moves                 ${count(receipt.switchovers)} switchovers of a primary, ${count(receipt.reconnects)} reconnects of clients`,
    latency("before", before),
    latency("during", during),
    latency("after", after),
    "",
    ...receipt.stages.map((s) => `  ${s.stage.padEnd(22)}${s.seconds.toFixed(1).padStart(5)} s   ${s.from} -> ${s.to}`),
    `  ${"engine".padEnd(22)}${receipt.engine.before} -> ${receipt.engine.after}, by its own report`,
    `  ${"total".padEnd(22)}${receipt.totalSeconds.toFixed(1).padStart(5)} s   on ${receipt.machine.cpus} cores`,
    ...receipt.failures.map((failure) => `  client error: ${failure}`),
  ];
}
