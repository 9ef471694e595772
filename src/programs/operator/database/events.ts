import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { versionOfDatabase } from "../../../core/api/older-status.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import type { Condition } from "../../../core/api/parts.ts";
import { findingChanges } from "../../../core/planner/findings/changes.ts";
import { conditionWords } from "../../../core/planner/findings/statement.ts";
import type { FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";

/** The events for users about a change of status of a database. */
export function databaseEvents(before: DatabaseStatus, after: DatabaseStatus): readonly Announcement[] {
  return [
    ...announceChange(before, after, "ReconcileSuspended", (now) =>
      now.status === "True"
        ? { type: "Normal", reason: "ReconcileSuspended", message: now.message }
        : { type: "Normal", reason: "ReconcileResumed", message: "edits are applied again" },
    ),
    ...objectionEvents(before, after),
    ...lifeEvents(before, after),
    ...(after.lossReports ?? [])
      .filter((report) => !(before.lossReports ?? []).includes(report))
      .map((message): Announcement => ({ type: "Warning", reason: "AcknowledgedWritesAtRisk", message })),
  ];
}

function announceChange(
  before: DatabaseStatus,
  after: DatabaseStatus,
  type: string,
  tell: (now: Condition) => Announcement | undefined,
): Announcement[] {
  const old = before.conditions?.find((condition) => condition.type === type);
  const now = after.conditions?.find((condition) => condition.type === type);
  const hasChanged = now !== undefined && now.status !== (old?.status ?? "False");
  const changes = hasChanged ? tell(now) : undefined;
  return changes === undefined ? [] : [changes];
}

/** Leaves out that the cluster is not ready: that is an event of the cluster, not of each of its databases. */
function objectionEvents(before: DatabaseStatus, after: DatabaseStatus): Announcement[] {
  const { began } = findingChanges(before.findings ?? [], after.findings ?? []);
  return began
    .filter(({ id }) => id !== ("ClusterNotReady" satisfies FindingId))
    .map((finding) => ({ type: "Warning", ...conditionWords(finding) }));
}

function lifeEvents(before: DatabaseStatus, after: DatabaseStatus): Announcement[] {
  if (after.status !== "active" || after.version === undefined) return [];
  if (
    before.status === undefined ||
    before.status === "pending" ||
    before.status === "creation-failed" ||
    before.version === undefined
  ) {
    return [{ type: "Normal", reason: "DatabaseReady", message: `serves version ${after.version}` }];
  }
  const from = versionOfDatabase(before);
  if (from === versionOfDatabase(after)) return [];
  // which engine served it before is not known any more: it may have been replaced before the version was
  const message = `from ${from ?? before.version} to ${after.version}`;
  return [{ type: "Normal", reason: "DatabaseUpgradeCompleted", message }];
}
