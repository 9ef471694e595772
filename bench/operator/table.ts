import { total, writes, type Requests } from "./audit.ts";
import type { Figures } from "./measure.ts";

/** What must hold at 1,000 databases on 2 cores. */
const GOALS = { coldSeconds: 30, editMs: 250, memoryMiB: 256 } as const;

/** The figures as lines, each beside its goal and the floor. */
export function table(figures: Figures): string {
  const { operator, floor, edits, minutes, databases } = figures;
  const perMinute = (count: number): number => count / minutes;
  const rows: Row[] = [
    ["cold start to settled, s", figures.cold, `${GOALS.coldSeconds}`],
    ["  requests a database", total(figures.coldRequests) / databases],
    ["  processor time, s", figures.coldCpu],
    ["  of API server and etcd, s", figures.coldServerCpu],
    ["its writes and agents' alone, s", figures.alone.seconds],
    ["  of API server and etcd, s", figures.alone.serverCpu],
    ["restart to looked at, s", figures.warm],
    ["  writes", writes(figures.warmRequests)],
    ["at rest: requests a minute", perMinute(total(operator.requests)), "", perMinute(total(floor.requests))],
    ["  writes", writes(operator.requests), "0", writes(floor.requests)],
    ["  writes of its Lease a minute", perMinute(operator.requests.leases)],
    ["  reviews of permissions a minute", perMinute(operator.requests.reviews)],
    ["  management calls a minute", perMinute(figures.calls)],
    ["  processor, % of a core", operator.cpu * 100, "", floor.cpu * 100],
    ["  memory, MiB", operator.memory.now, "", floor.memory.now],
    ["memory, highest, MiB", operator.memory.peak, `${GOALS.memoryMiB}`, floor.memory.peak],
    ["edit to act, median, ms", percentile(edits.acted, 0.5), "", percentile(edits.seen, 0.5)],
    ["edit to act, p99, ms", percentile(edits.acted, 0.99), `${GOALS.editMs}`, percentile(edits.seen, 0.99)],
  ];
  return [
    line(["", "operator", "goal", "list+watch", "ratio"]),
    ...rows.map(rowLine),
    `verbs at rest: ${verbs(operator.requests)}; list+watch: ${verbs(floor.requests)}`,
  ].join("\n");
}

/** What is not as it must be, in words. */
export function goalsMissed({ cold, operator, edits }: Figures): readonly string[] {
  const checks: readonly (readonly [what: string, value: number, goal: number])[] = [
    ["cold start, s", cold, GOALS.coldSeconds],
    ["writes at rest", writes(operator.requests), 0],
    ["memory, MiB", operator.memory.peak, GOALS.memoryMiB],
    ["edit to act p99, ms", percentile(edits.acted, 0.99), GOALS.editMs],
  ];
  return checks
    .filter(([, value, goal]) => value > goal)
    .map(([what, value, goal]) => `${what}: ${shown(value)}, at most ${goal}`);
}

type Row = readonly [what: string, operator: number, goal?: string, floor?: number];

function rowLine([what, operator, goal = "", floor]: Row): string {
  const ratio = floor === undefined || floor === 0 ? "" : (operator / floor).toFixed(1);
  return line([what, shown(operator), goal === "" ? "" : `<= ${goal}`, floor === undefined ? "" : shown(floor), ratio]);
}

function line([what = "", ...cells]: readonly string[]): string {
  return what.padEnd(34) + cells.map((cell) => cell.padStart(12)).join("");
}

function shown(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value < 1 ? 2 : 1);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function verbs({ byVerb }: Requests): string {
  return [...byVerb].map(([verb, count]) => `${verb} ${count}`).join(", ") || "none";
}
