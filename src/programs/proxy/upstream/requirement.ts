import type { Address, SyncReplicas } from "../../../ports/management/proxy-control.ts";

/** What replies of a primary wait for: nothing, these replicas, or better knowledge (`hold`). */
export type Requirement = "none" | "hold" | readonly Address[];

/** What replies in this epoch wait for. Replicas that are about to join the set count as its members do: they may be, soon. */
export function requirementOf(sync: SyncReplicas | undefined, epoch: number): Requirement {
  if (sync === undefined) return "none";
  const { set, withoutReplica } = sync;
  if (set === undefined || sync.epoch !== epoch) return "hold";
  if (set.members.length === 0 && withoutReplica === "wait") return "hold";
  const replicas = [...set.members, ...set.joining];
  return replicas.length === 0 ? "none" : replicas;
}

/** True when replies of the primary of `epoch` wait for the replicas of that version of its set, or of a later one. */
export function isRequirementKnown(
  sync: SyncReplicas | undefined,
  epoch: number,
  least: { readonly epoch: number; readonly version: number },
): boolean {
  if (sync?.set === undefined || sync.epoch !== epoch) return false;
  return epoch > least.epoch || (epoch === least.epoch && sync.set.version >= least.version);
}
