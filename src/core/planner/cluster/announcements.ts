import type { ClusterStatus } from "../../api/cluster-status.ts";
import type { Finding } from "../../api/parts.ts";
import { findingChanges } from "../findings/changes.ts";
import { conditionWords } from "../findings/statement.ts";
import type { ClusterView } from "../view/cluster-view.ts";

/** An event to tell users of. */
export interface Announcement {
  readonly type: "Normal" | "Warning";
  /** Stable, CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** The events for users about a change of status; empty when nothing changed. */
export function announcements(view: ClusterView, before: ClusterStatus, after: ClusterStatus): readonly Announcement[] {
  return [
    ...findingEvents(before, after),
    ...upgradeEvents(view, before, after),
    ...suspensionEvents(before, after),
    ...recoveryEvents(before, after),
    ...stateEvents(before, after),
  ];
}

/** An event for each new finding, and one when nothing blocks the upgrade any more. */
export function findingEvents(before: ClusterStatus, after: ClusterStatus): readonly Announcement[] {
  const { began } = findingChanges(before.findings ?? [], after.findings ?? []);
  const freed = isBlocked(before) && !isBlocked(after);
  return [
    ...began.map((finding) => ({ type: "Warning" as const, ...conditionWords(finding) })),
    ...(freed ? [normal("UpgradeUnblocked", "nothing blocks the upgrade any more")] : []),
  ];
}

function isBlocked({ findings }: ClusterStatus): boolean {
  return (findings ?? []).some(({ severity }: Finding) => severity === "block");
}

function upgradeEvents(view: ClusterView, before: ClusterStatus, after: ClusterStatus): Announcement[] {
  const old = before.upgrade;
  const now = after.upgrade;
  if (now === undefined) return [];
  const isNew = old?.startedAt !== now.startedAt;
  const steps = isNew ? 0 : now.updatedNodes - old.updatedNodes;
  return [
    ...(isNew
      ? [normal("UpgradeStarted", `from ${now.from} to ${now.to}, ${view.pods.length} nodes, one at a time`)]
      : []),
    ...(steps > 0
      ? [normal("UpgradePodReplaced", `${now.updatedNodes} of ${view.pods.length} nodes run ${now.to}`)]
      : []),
    ...(now.finishedAt !== undefined && (isNew || old.finishedAt === undefined)
      ? [normal("UpgradeCompleted", `every node runs ${now.to}`)]
      : []),
  ];
}

function suspensionEvents(before: ClusterStatus, after: ClusterStatus): Announcement[] {
  const old = suspensionOf(before);
  const now = suspensionOf(after);
  if (now?.status === "True" && old?.status !== "True") return [normal("ReconcileSuspended", now.message)];
  if (now?.status === "False" && old?.status === "True") {
    return [normal("ReconcileResumed", "cluster and databases are managed again")];
  }
  return [];
}

function recoveryEvents({ recovery: old }: ClusterStatus, { recovery: now }: ClusterStatus): Announcement[] {
  if (now === undefined) return [];
  const isNew = old?.startedAt !== now.startedAt;
  const pods = now.pods.length;
  const what = pods === 0 ? "most nodes are active: no pod is deleted" : `${pods} pods are deleted and made again`;
  return [
    ...(isNew ? [normal("RecoveryStarted", what)] : []),
    ...(now.finishedAt !== undefined && (isNew || old.finishedAt === undefined)
      ? [normal("RecoveryCompleted", "spec.clusterRecovery is false again")]
      : []),
  ];
}

function suspensionOf({ conditions }: ClusterStatus): { status: string; reason: string; message: string } | undefined {
  return conditions?.find(({ type }) => type === "ReconcileSuspended");
}

function stateEvents(before: ClusterStatus, after: ClusterStatus): Announcement[] {
  if (before.state === after.state) return [];
  if (after.state === "Running" && before.version === undefined)
    return [normal("ClusterReady", "every node is active")];
  if (before.state === "Error" && after.state === "Running")
    return [normal("ClusterRecovered", "the nodes answer again")];
  if (after.state === "Error") return [{ type: "Warning", reason: "ClusterUnreachable", message: "no node answers" }];
  return [];
}

function normal(reason: string, message: string): Announcement {
  return { type: "Normal", reason, message };
}
