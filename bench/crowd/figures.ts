import { readFileSync } from "node:fs";
import type { Latency } from "./tenant.ts";

/** What was measured in one part of a run. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly latency: Latency;
  /** At the same time, of clients of a proxy that has no crowd: what the machine itself takes. */
  readonly beside: Latency;
  /** Share of a core that the proxy took. */
  readonly cpu: number;
  /** Memory of the proxy at its end, and of the kernel for the connections, in MiB. */
  readonly residentMiB: number;
  readonly socketsMiB: number;
}

/** One run, without TLS or with it. */
export interface CrowdFigures {
  readonly tls: boolean;
  readonly letIn: { readonly slow: number; readonly vanished: number };
  readonly phases: readonly Phase[];
  /** Those of the first phases with a stand-in in the place of the proxy: what one process on this machine takes at least. */
  readonly standIn: readonly Phase[];
  /** The most memory that the proxy has had, in MiB. */
  readonly peakMiB: number;
  readonly cut: number;
}

/** What must hold. */
const CROWD_GOALS = { peakMiB: 512, p99Ratio: 2 } as const;

/** Which goals were missed, a sentence each. A machine on which the stand-in makes others wait as long can show no better. */
export function missedGoals(figures: CrowdFigures): readonly string[] {
  const { tls, phases, peakMiB } = figures;
  const where = `TLS ${tls ? "enabled" : "disabled"}`;
  const memory = peakMiB > CROWD_GOALS.peakMiB ? [`${where}: the proxy took ${peakMiB.toFixed(0)} MiB`] : [];
  const late = phases
    .filter((phase) => ratioOf(phase) > CROWD_GOALS.p99Ratio && (ratioByStandIn(figures, phase) ?? Infinity) > 1)
    .map((phase) => `${where}, ${phase.name}: p99 was ${ratioOf(phase).toFixed(2)} times that beside it`);
  return [...memory, ...late];
}

/** How much longer than beside the crowd: of the p99 of a phase. */
export function ratioOf({ latency, beside }: Phase): number {
  return latency.p99 / beside.p99;
}

/** The same by what it was with a stand-in, where that was measured. */
function ratioByStandIn({ standIn }: Pick<CrowdFigures, "standIn">, phase: Phase): number | undefined {
  const same = standIn.find(({ name }) => name === phase.name);
  return same === undefined ? undefined : ratioOf(phase) / ratioOf(same);
}

/** The phases as lines, each with what clients of a proxy without a crowd saw meanwhile, and by what it was with a stand-in. */
export function crowdTable({ tls, letIn, phases, standIn, peakMiB, cut }: CrowdFigures): string {
  const cells = phases.map((phase) => {
    const { name, seconds, latency, beside, cpu, residentMiB, socketsMiB } = phase;
    return [
      ...[name, seconds.toFixed(0), String(latency.requests), latency.p50.toFixed(2), latency.p99.toFixed(2)],
      ...[beside.p50.toFixed(2), beside.p99.toFixed(2), ratioOf(phase).toFixed(2)],
      ratioByStandIn({ standIn }, phase)?.toFixed(2) ?? "",
      ...[(cpu * 100).toFixed(0), residentMiB.toFixed(0), socketsMiB.toFixed(0)],
    ];
  });
  const head = [
    "phase",
    "s",
    "requests",
    "p50 ms",
    "p99",
    "beside p50",
    "p99",
    "p99 ratio",
    "by stand-in",
    "cpu %",
    "MiB",
    "kernel MiB",
  ];
  const rows = [head, ...cells].map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(24) : cell.padStart(12))));
  return [
    `TLS ${tls ? "enabled" : "disabled"}: ${letIn.slow} slow readers and ${letIn.vanished} that vanish were let in, ${cut} were cut`,
    ...rows.map((row) => row.join("")),
    `most memory of the proxy: ${peakMiB.toFixed(0)} MiB, goal ${CROWD_GOALS.peakMiB}`,
  ].join("\n");
}

/** What the kernel keeps for the connections of this network, in MiB. */
export function socketsMiB(): number {
  const pages = Number(/^TCP: .* mem (\d+)/m.exec(readFileSync("/proc/net/sockstat", "utf8"))?.[1]);
  return (pages * 4096) / 2 ** 20;
}
