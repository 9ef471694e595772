import type { DatabaseRecord, ShardRecord } from "../../api/records.ts";
import type { LeaderProposal } from "./step.ts";
import { primaryOf, targetVersion, desiredInstances, wantsTls } from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { instanceSize } from "../node/instance-size.ts";
import { placedInOthers } from "./placed.ts";
import { placeKept, portOffsetOf } from "./placement.ts";
import type { Placement } from "./placement.ts";

type PlaceFacts = Pick<DatabaseFacts, "record" | "nodes" | "everything">;

/**
 * Makes a replica again elsewhere, where there is room, before its node is left: a second failure must not meet a single copy. The old replica
 * goes as surplus once the new one is in sync. An upgrade makes new replicas anyway.
 */
export function replacementStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const { record } = facts;
  if (shard.instances.length > desiredInstances(record)) return undefined;
  const placed = placeReplacement(facts, shard);
  if (placed === undefined || "id" in placed) return undefined;
  return { kind: "add-replica", shard: shard.id, storeVersion: targetVersion(record), ...placed };
}

/** Whether a node that is to be left still holds a copy that will be elsewhere soon: made there, or on its way. */
export function isBeingReplaced(facts: PlaceFacts, node: number): boolean {
  const { record } = facts;
  return record.shards.some((shard) => {
    if (!shard.instances.some((instance) => instance.node === node && instance.id !== shard.primary)) return false;
    if (!mayBeReplaced(record, shard)) return false;
    if (shard.instances.length > desiredInstances(record)) return true;
    const placed = placeReplacement(facts, shard);
    return placed !== undefined && !("id" in placed);
  });
}

/** The place for a replica that has to leave its node; undefined when there is no such replica. */
function placeReplacement({ record, nodes, everything }: PlaceFacts, shard: ShardRecord): Placement | undefined {
  const isLeft = (node: number): boolean => nodes.some(({ uid, draining }) => uid === node && draining);
  const leaving = shard.instances.filter(({ node }) => isLeft(node));
  if (!mayBeReplaced(record, shard) || leaving.length === 0 || isLeft(primaryOf(shard).node)) return undefined;
  const request = {
    nodes,
    everything,
    storeVersion: targetVersion(record),
    tls: wantsTls(record),
    ofOtherShards: placedInOthers(record, shard),
    shardsPlacement: record.shardsPlacement,
    ...instanceSize(record, shard),
    avoid: shard.instances.map(({ node }) => node),
    role: "replica",
    portOffset: portOffsetOf(record.uid, record.nextInstance),
  } as const;
  // the new copy needs memory beside the old one for a while: where there is none, the node is left without a new copy
  return placeKept(request, ["growth", "resting"]);
}

/** The recovery of another shard does not delay a replacement in this one. */
function mayBeReplaced({ replication, upgrade, status, lastAction }: DatabaseRecord, shard: ShardRecord): boolean {
  const isSettled =
    status === "active" || (status === "recovery" && shard.recovery === undefined && lastAction?.status !== "running");
  return replication && upgrade === undefined && isSettled;
}
