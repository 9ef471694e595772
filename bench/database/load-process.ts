// The clients of a database: a program of its own, so that neither the API server nor the benchmark keeps it from reading replies.
import { createHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { startLedger, type Ledger, type LedgerReport } from "../../test/kit/load/load-ledger.ts";
import { until } from "#kit/testing/until";
import { obey, ownTask } from "../helper/process.ts";

/** Where the endpoint is on each node that has clients. */
export interface LoadTask {
  readonly hosts: readonly string[];
  readonly port: number;
}

/** What the clients saw since they were asked last. */
export interface Window {
  readonly slowestMs: number;
  /** 99 of 100 requests took no longer. */
  readonly p99Ms: number;
  /** The longest time for which this process itself could do nothing. */
  readonly ownMs: number;
}

/** `window` waits until the clients of each node are answered; `end` compares every value with what was acknowledged. */
export type LoadOrder = "window" | "end";
export type LoadAnswer = Window & { readonly report?: LedgerReport };

/** Of all nodes together, each with one request at a time. */
const CLIENTS = 48;
/** Of each client between two requests, in milliseconds: about 7,000 requests a second. */
const PAUSE_MS = 5;
/** Of the clients of each node: they are all under way. */
const REQUESTS = 100;
const PATIENCE = { withinMs: 60_000 };

const { hosts, port } = ownTask<LoadTask>();
const delay = monitorEventLoopDelay({ resolution: 1 });
const connections = CLIENTS / hosts.length;
const ledgers = await Promise.all(hosts.map((host) => startLedger({ host, port, connections, pauseMs: PAUSE_MS })));
delay.enable();

obey<LoadOrder, LoadAnswer>(async (order) => {
  const before = ledgers.map((ledger) => ledger.requests());
  const goOn = (): boolean => ledgers.every((ledger, at) => ledger.requests() >= (before[at] ?? 0) + REQUESTS);
  if (order === "window") await until("the clients of each node are answered", goOn, PATIENCE);
  const times = createHistogram();
  for (const ledger of ledgers) {
    times.add(ledger.times);
    ledger.times.reset();
  }
  const seen = { slowestMs: times.max / 1_000, p99Ms: times.percentile(99) / 1_000, ownMs: delay.max / 1e6 };
  delay.reset();
  return order === "window" ? seen : { ...seen, report: sum(await Promise.all(ledgers.map(stop))) };
});

function stop(ledger: Ledger): Promise<LedgerReport> {
  return ledger.stop();
}

function sum(reports: readonly LedgerReport[]): LedgerReport {
  const total = (of: (report: LedgerReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  return {
    requests: total(({ requests }) => requests),
    failed: total(({ failed }) => failed),
    lost: total(({ lost }) => lost),
    longestMs: Math.max(...reports.map(({ longestMs }) => longestMs)),
    complaints: reports.flatMap(({ complaints }) => complaints),
  };
}
