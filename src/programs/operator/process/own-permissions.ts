import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { API_GROUP } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Permissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import { operatorFinding } from "../../../core/planner/prerequisites/permissions.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { MissingPermission } from "../../../core/releases/permissions/roles.ts";

export interface OwnPermissionsOptions {
  readonly permissions: Permissions;
  readonly release: Release;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called after each review with the number of missing verbs. */
  readonly onCount?: (missing: number) => void;
  /** Called when other permissions are missing than before; undefined when none is. */
  readonly onFinding?: (finding: Finding | undefined) => void;
}

export interface OwnPermissions {
  /** The missing permissions without which the operator cannot lead or report; undefined when it has them all. */
  unready(): string | undefined;
  readonly stopped: Promise<void>;
}

/** Pause between reviews, and how long an answer without a missing verb is used; in milliseconds. */
const REVIEW_MS = 1_000;
const FRESH_MS = 60_000;

/** Reviews the operator's own permissions until `signal` aborts, and logs each change: the log needs no permission. */
export function followOwnPermissions(options: OwnPermissionsOptions): OwnPermissions {
  const { permissions, release, clock, log, signal, onCount, onFinding } = options;
  let unready: string | undefined;
  let logged = "";
  const review = async (): Promise<void> => {
    const lacking = await permissions.operator(FRESH_MS);
    if (!lacking.read) return;
    const value = lacking.value.filter(({ spare }) => spare !== true);
    const vital = value.filter(isVital);
    unready = vital.length === 0 ? undefined : operatorFinding(vital, release.operator).evidence;
    onCount?.(value.length);
    const finding = value.length === 0 ? undefined : operatorFinding(value, release.operator);
    const text = finding === undefined ? "" : JSON.stringify(finding);
    if (text !== logged) onFinding?.(finding);
    if (finding !== undefined && text !== logged) log.error("permissions are missing", { ...finding });
    if (finding === undefined && logged !== "") log.info("no permission is missing any more");
    logged = text;
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await review();
      await clock.sleep(REVIEW_MS, signal).catch(() => undefined); // aborted: the loop ends
    }
  };
  return { unready: () => unready, stopped: follow() };
}

/** Without these the operator cannot lead, or cannot report what else is missing in the status of a cluster. */
function isVital({ group, resource, verb }: MissingPermission): boolean {
  switch (`${resource}.${group}`) {
    case `storeenterpriseclusters.${API_GROUP}`:
      return verb !== "patch";
    case `storeenterpriseclusters/status.${API_GROUP}`:
      return true;
    case "events.":
      return verb === "create";
    case "leases.coordination.k8s.io":
      return verb === "get" || verb === "create" || verb === "update";
    default:
      return false;
  }
}
