import type { HistogramValues } from "#kit/base/histogram";
import type { EndpointCounts, EndpointStats, OutstandingRequest } from "../../../ports/management/proxy-control.ts";

/** How to join the numbers of two processes that are no plain sums. */
interface Joining {
  /** How often the primary has changed. */
  readonly moves: (one: number, other: number) => number;
  /** How long clients had to wait for primaries. */
  readonly waits: (one: HistogramValues, other: HistogramValues) => HistogramValues;
}

/** Joins workers side by side: each of them has counted the same change of primary. */
export const OF_WORKERS: Joining = { moves: Math.max, waits: longest };

/** Joins processes of one worker that followed each other. */
export const OF_SUCCESSORS: Joining = { moves: (one, other) => one + other, waits: together };

/** The numbers of each endpoint, over several processes. */
export function sumOfStats(all: readonly EndpointStats[], joining: Joining): readonly EndpointStats[] {
  const each = new Map<number, EndpointStats>();
  for (const stats of all) {
    const known = each.get(stats.bdb);
    each.set(stats.bdb, known === undefined ? stats : sumOf(known, stats, joining));
  }
  return [...each.values()];
}

/** An endpoint has the lowest epoch of its workers; it is held when one of them is, and listens when one does. */
function sumOf(one: EndpointStats, other: EndpointStats, joining: Joining): EndpointStats {
  const oldest = [one.oldest, other.oldest].filter((request) => request !== undefined).toSorted(byAge)[0];
  return {
    bdb: one.bdb,
    epoch: Math.min(one.epoch, other.epoch),
    listening: one.listening || other.listening,
    held: one.held || other.held,
    clients: one.clients + other.clients,
    inFlight: one.inFlight + other.inFlight,
    requests: one.requests + other.requests,
    cut: one.cut + other.cut,
    holdsExpired: one.holdsExpired + other.holdsExpired,
    resent: one.resent + other.resent,
    ...(oldest === undefined ? {} : { oldest }),
    ...(one.counted === undefined || other.counted === undefined
      ? {}
      : { counted: sumOfCounts(one.counted, other.counted, joining) }),
  };
}

function sumOfCounts(one: EndpointCounts, other: EndpointCounts, { moves, waits }: Joining): EndpointCounts {
  return {
    receivedBytes: one.receivedBytes + other.receivedBytes,
    sentBytes: one.sentBytes + other.sentBytes,
    errors: one.errors + other.errors,
    pins: one.pins + other.pins,
    switchovers: moves(one.switchovers, other.switchovers),
    failovers: moves(one.failovers, other.failovers),
    answered: together(one.answered, other.answered),
    answeredLate: together(one.answeredLate, other.answeredLate),
    holds: waits(one.holds, other.holds),
    outages: waits(one.outages, other.outages),
    crossings: sumByName(one.crossings ?? {}, other.crossings ?? {}),
    moved: (one.moved ?? 0) + (other.moved ?? 0),
    forwarded: (one.forwarded ?? 0) + (other.forwarded ?? 0),
  };
}

function sumByName(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function together(one: HistogramValues, other: HistogramValues): HistogramValues {
  return {
    counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)),
    sum: one.sum + other.sum,
  };
}

/**
 * All workers are held at once, so that their holds are not added. For each length, the number of holds up to it is that of the worker that has
 * counted most: so it never falls.
 */
function longest(one: HistogramValues, other: HistogramValues): HistogramValues {
  const [atMost, othersAtMost] = [runningSums(one.counts), runningSums(other.counts)];
  const most = atMost.map((count, at) => Math.max(count, othersAtMost[at] ?? 0));
  return { counts: most.map((count, at) => count - (most[at - 1] ?? 0)), sum: Math.max(one.sum, other.sum) };
}

function runningSums(counts: readonly number[]): readonly number[] {
  let sum = 0;
  return counts.map((count) => (sum += count));
}

/** The oldest one first. */
export function byAge(one: OutstandingRequest, other: OutstandingRequest): number {
  return other.ageMs - one.ageMs;
}
