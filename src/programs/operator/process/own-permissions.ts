import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
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
  /** Told how many verbs are missing, after each look. */
  readonly onCount?: (missing: number) => void;
  /** Told what stands behind what is missing when that is another than before; undefined when nothing is. */
  readonly onFinding?: (finding: Finding | undefined) => void;
}

export interface OwnPermissions {
  /** What the operator lacks to lead, or to tell users of their clusters; undefined when it lacks nothing of it. */
  mute(): string | undefined;
  readonly stopped: Promise<void>;
}

const LOOK_MS = 1_000;
const BELIEVED_MS = 60_000;

/** Looks after what the operator may do until `signal` aborts; says in the log, once, what it lacks, also when it can say it nowhere else. */
export function followOwnPermissions(options: OwnPermissionsOptions): OwnPermissions {
  const { permissions, release, clock, log, signal, onCount, onFinding } = options;
  let mute: string | undefined;
  let said = "";
  const look = async (): Promise<void> => {
    const lacking = await permissions.operator(BELIEVED_MS);
    if (!lacking.read) return;
    const { value } = lacking;
    const vital = value.filter(isVital);
    mute = vital.length === 0 ? undefined : operatorFinding(vital, release.operator).evidence;
    onCount?.(value.length);
    const finding = value.length === 0 ? undefined : operatorFinding(value, release.operator);
    const text = finding === undefined ? "" : JSON.stringify(finding);
    if (text !== said) onFinding?.(finding);
    if (finding !== undefined && text !== said) log.error("permissions are missing", { ...finding });
    if (finding === undefined && said !== "") log.info("every permission is there again");
    said = text;
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await clock.sleep(LOOK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    }
  };
  return { mute: () => mute, stopped: follow() };
}

/** Without these the operator cannot lead, or cannot tell users of a cluster what else it lacks. */
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
