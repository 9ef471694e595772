import { needText, roomText } from "#kit/base/sizes";
import type { DatabaseRecord } from "../../api/records.ts";
import { diskBytes } from "./disk-budget.ts";
import { desiredInstances, primaryOf, wantsTls } from "./facts.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";
import { freeOnVolume, largestOn, placeInstance } from "./placement.ts";

/** A database before and after a change of its settings, and what its nodes hold besides. */
export interface Growth {
  readonly before: DatabaseRecord;
  readonly after: DatabaseRecord;
  readonly nodes: readonly NodeFacts[];
  /** Instances of all other databases. */
  readonly others: readonly PlacedInstance[];
}

/** Why the cluster has no room for what a change makes larger; undefined when it has, or nothing grows. */
export function whyNoGrowth(growth: Growth): string | undefined {
  const { before, after } = growth;
  const grows = after.memoryBytes > before.memoryBytes;
  const takesDisk = diskBytes(after) > diskBytes(before);
  return (
    (grows ? noRoomWhereItIs(growth) : undefined) ??
    (takesDisk ? noDiskWhereItIs(growth) : undefined) ??
    noReplica(growth)
  );
}

function noDiskWhereItIs({ before, after, nodes, others }: Growth): string | undefined {
  const needed = diskBytes(after);
  const short = nodesOf(before, nodes)
    .map(({ uid, volumeRoom }) => ({ uid, free: freeOnVolume({ uid, volumeRoom }, others) }))
    .find(({ free }) => free < needed);
  if (short === undefined) return undefined;
  return `"${before.name}" may take ${needText(needed)} of a volume then, and that of node ${short.uid} has room for ${roomText(short.free)}`;
}

function nodesOf({ shards }: DatabaseRecord, nodes: readonly NodeFacts[]): readonly NodeFacts[] {
  return shards.flatMap(({ instances }) => instances).flatMap(({ node }) => nodes.filter(({ uid }) => uid === node));
}

/** Databases do not move to grow. */
function noRoomWhereItIs({ before, after, nodes, others }: Growth): string | undefined {
  const rooms = nodesOf(before, nodes).map((node) => ({ uid: node.uid, most: largestOn(node, others) }));
  if (rooms.every(({ most }) => most >= after.memoryBytes)) return undefined;
  const each = rooms.map(({ uid, most }) => `node ${uid} has room for ${roomText(most)} of it`).join(", ");
  const least = Math.min(...rooms.map(({ most }) => most));
  const most = least > before.memoryBytes ? `; up to ${roomText(least)} fit` : "; it cannot grow there";
  return `"${before.name}" has ${needText(before.memoryBytes)} and cannot have ${needText(after.memoryBytes)}: ${each}${most}`;
}

function noReplica({ before, after, nodes, others }: Growth): string | undefined {
  const shard = before.shards[0];
  if (shard === undefined || desiredInstances(after) <= shard.instances.length) return undefined;
  const placed = placeInstance({
    ...{
      nodes,
      everything: others,
      storeVersion: after.storeVersion,
      memoryBytes: after.memoryBytes,
      diskBytes: diskBytes(after),
    },
    ...{ tls: wantsTls(after), avoid: [primaryOf(shard).node], role: "replica", room: "growth", portOffset: 0 },
  });
  return "refusal" in placed ? placed.refusal : undefined;
}
