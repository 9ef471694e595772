import type { Clock } from "#kit/base/clock";
import { describeRequest } from "../../../core/planner/database/waiting-requests.ts";
import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { LIMITS } from "../limits/limits.ts";
import { within } from "../timing/within.ts";

/**
 * Waits until no request has been at an engine for long, at most `withinMs`. What is left then, the oldest first; without
 * those that a hold does not wait for any more.
 */
export async function quiet(
  outstanding: () => readonly OutstandingRequest[],
  clock: Clock,
  withinMs: number,
): Promise<readonly OutstandingRequest[]> {
  const longOnes = (): readonly OutstandingRequest[] => outstanding().filter(({ ageMs }) => ageMs > LIMITS.quietMs);
  if (await within(clock, withinMs, () => longOnes().length === 0, POLL_MS)) return [];
  return byAge(longOnes())
    .filter(({ ageMs }) => ageMs <= LIMITS.patienceMs)
    .slice(0, MOST_NAMED);
}

/** The oldest of these requests, for the end of a sentence; empty without one. */
export function describeOldest(requests: readonly OutstandingRequest[]): string {
  const [oldest] = byAge(requests);
  return oldest === undefined ? "" : `, the longest for ${describeRequest(oldest)}`;
}

function byAge(requests: readonly OutstandingRequest[]): readonly OutstandingRequest[] {
  return requests.toSorted((one, other) => other.ageMs - one.ageMs);
}

const POLL_MS = 5;
const MOST_NAMED = 5;
