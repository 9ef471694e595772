import type { Clock } from "#kit/base/clock";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { isTrue } from "#kit/kube/conditions";
import type { DatabaseDecision } from "../../../core/planner/database/plan.ts";
import { FAILOVER_MS } from "./lost-answer.ts";
import { SERVICE_MS } from "./published-address.ts";

/** How often a database that changes is looked at, in milliseconds. */
export const STEP_MS = 500;
/** How often a database at rest is looked at, in case an event was missed: any change wakes it. */
const REST_MS = 30 * 60_000;
/** What the cluster refused is asked for again after as long as it has been refused, within these bounds. */
export const AGAIN_MS = { first: 2_000, last: 15_000 } as const;

/** After a decision was carried out. */
export function pauseMs({ step, findings, drift }: DatabaseDecision, status: DatabaseStatus, isFound: boolean): number {
  if (step.kind === "act") return STEP_MS;
  if (findings.length > 0 || drift?.id === "DowngradeRefused") return AGAIN_MS.last; // what is around it may be the reason, and change
  if (status.status !== "active" || !isTrue(status.conditions, "Ready")) return STEP_MS;
  return isFound ? REST_MS : SERVICE_MS; // until clients find it by its name
}

/** The last answer of a cluster that does not answer counts no longer after a while; later it is woken by what changes. */
export function untilLostMs({ unansweredSince, status }: DatabaseStatus): number {
  return unansweredSince === undefined || status === "unknown" ? REST_MS : FAILOVER_MS;
}

/** Doubles the pause each time without state of its own: the condition says since when. */
export function refusedForMs({ conditions }: DatabaseStatus, clock: Clock): number {
  const since = conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
  const pastMs = clock.now().getTime() - Date.parse(since);
  return Math.min(AGAIN_MS.last, Math.max(AGAIN_MS.first, pastMs || 0));
}
