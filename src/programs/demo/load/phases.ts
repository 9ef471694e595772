import { createHistogram } from "node:perf_hooks";

/** The parts of the scenario that are measured one by one. */
export const PHASES = ["before", "operator", "cluster", "shards", "database", "after"] as const;
export type Phase = (typeof PHASES)[number];

/** What clients saw during one phase; times in milliseconds. */
export interface PhaseNumbers {
  readonly phase: Phase;
  readonly seconds: number;
  readonly requests: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  /** The slowest request of the phase: the longest stall of a client. */
  readonly max: number;
  /** The longest wait of requests without a reconnect, so without the pauses that client libraries make before they reconnect. */
  readonly maxStaying: number;
}

/** Counts requests and their latency, phase by phase. */
export interface PhaseMeter {
  enter(phase: Phase): void;
  /** `moved`: the connection was closed and made again while the request waited. */
  record(milliseconds: number, moved: boolean): void;
  fail(): void;
  numbers(): readonly PhaseNumbers[];
}

/** Starts in `before`. */
export function phaseMeter(now: () => number = () => performance.now()): PhaseMeter {
  const finished: PhaseNumbers[] = [];
  let current = open("before", now());
  return {
    enter: (phase) => {
      finished.push(close(current, now()));
      current = open(phase, now());
    },
    record: (milliseconds, moved) => {
      current.requests += 1;
      if (!moved) current.maxStaying = Math.max(current.maxStaying, milliseconds);
      current.latency.record(Math.max(1, Math.round(milliseconds * 1000)));
    },
    fail: () => {
      current.failed += 1;
    },
    numbers: () => [...finished, close(current, now())],
  };
}

interface OpenPhase {
  readonly phase: Phase;
  readonly since: number;
  /** In microseconds. */
  readonly latency: ReturnType<typeof createHistogram>;
  requests: number;
  failed: number;
  maxStaying: number;
}

function open(phase: Phase, since: number): OpenPhase {
  return { phase, since, latency: createHistogram(), requests: 0, failed: 0, maxStaying: 0 };
}

function close({ phase, since, latency, requests, failed, maxStaying }: OpenPhase, now: number): PhaseNumbers {
  const milliseconds = (microseconds: number): number => (requests === 0 ? 0 : Math.round(microseconds / 10) / 100);
  return {
    phase,
    seconds: Math.round((now - since) / 100) / 10,
    requests,
    failed,
    p50: milliseconds(latency.percentile(50)),
    p99: milliseconds(latency.percentile(99)),
    max: milliseconds(latency.max),
    maxStaying: milliseconds(maxStaying * 1000),
  };
}
