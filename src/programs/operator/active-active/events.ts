import type { ActiveActiveStatus } from "../../../core/api/active-active.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import { conditionOf } from "./status.ts";

/** The events for users about a change of status of an Active-Active database. */
export function activeActiveEvents(before: ActiveActiveStatus, after: ActiveActiveStatus): readonly Announcement[] {
  return [...readinessEvents(before, after), ...participantEvents(before, after), ...replicationEvents(before, after)];
}

/** Reasons for which a database on its way is not ready and that need no person. */
const COURSE = ["Changing", "NotCreated", "Waiting", "ClusterNotReady", "OtherSiteFirst", "SitesApart", "Deleting"];

function readinessEvents(before: ActiveActiveStatus, after: ActiveActiveStatus): readonly Announcement[] {
  const [old, now] = [conditionOf(before.conditions, "Ready"), conditionOf(after.conditions, "Ready")];
  if (now === undefined || (old?.reason === now.reason && old.status === now.status)) return [];
  const { reason, message } = now;
  if (now.status === "True") return [{ type: "Normal", reason: "ActiveActiveReady", message }];
  return COURSE.includes(reason) ? [] : [{ type: "Warning", reason, message }];
}

function participantEvents(before: ActiveActiveStatus, after: ActiveActiveStatus): readonly Announcement[] {
  const type = "ParticipantsReady";
  const [old, now] = [conditionOf(before.conditions, type), conditionOf(after.conditions, type)];
  if (now === undefined || old?.reason === now.reason) return [];
  if (now.status === "False") return [{ type: "Warning", reason: now.reason, message: now.message }];
  return old === undefined ? [] : [{ type: "Normal", reason: type, message: now.message }];
}

/** A link begins, and catches up, without an act of a user. */
const LINK_COURSE = ["LinkUnknown", "Joining", "NotCaptured", "Syncing"];

function replicationEvents(before: ActiveActiveStatus, after: ActiveActiveStatus): readonly Announcement[] {
  const [old, now] = [conditionOf(before.conditions, "Replicating"), conditionOf(after.conditions, "Replicating")];
  if (now === undefined || (old?.reason === now.reason && old.status === now.status)) return [];
  const { reason, message } = now;
  if (now.status === "True") return [{ type: "Normal", reason: "ActiveActiveReplicating", message }];
  return LINK_COURSE.includes(reason) && old?.status !== "True" ? [] : [{ type: "Warning", reason, message }];
}
