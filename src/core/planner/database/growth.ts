import { needText, roomText } from "#kit/base/sizes";
import type { DatabaseRecord } from "../../api/records.ts";
import { diskBytes } from "../node/disk-budget.ts";
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
  const short = holdersOf(before, nodes)
    .map(({ node: { uid, volumeRoom }, count }) => ({
      uid,
      needed: count * diskBytes(after),
      free: freeOnVolume({ uid, volumeRoom }, others),
    }))
    .find(({ needed, free }) => free < needed);
  if (short === undefined) return undefined;
  return `"${before.name}" may take ${needText(short.needed)} of a volume then, and that of node ${short.uid} has room for ${roomText(short.free)}`;
}

/** A node that has instances of the database, with their number: one of each shard at most, and of several shards. */
interface Holder {
  readonly node: NodeFacts;
  readonly count: number;
}

function holdersOf({ shards }: DatabaseRecord, nodes: readonly NodeFacts[]): readonly Holder[] {
  const instances = shards.flatMap((shard) => shard.instances);
  const uids = [...new Set(instances.map(({ node }) => node))];
  return uids.flatMap((uid) =>
    nodes
      .filter((node) => node.uid === uid)
      .map((node) => ({ node, count: instances.filter((instance) => instance.node === uid).length })),
  );
}

/** Why the nodes of the database have no room for its growth: databases do not move to grow. */
function noRoomWhereItIs({ before, after, nodes, others }: Growth): string | undefined {
  const rooms = holdersOf(before, nodes).map(({ node, count }) => ({
    uid: node.uid,
    most: largestOn(node, others, count),
  }));
  if (rooms.every(({ most }) => most >= after.memoryBytes)) return undefined;
  const each = rooms.map(({ uid, most }) => `node ${uid} has room for ${roomText(most)} of it`).join(", ");
  const least = Math.min(...rooms.map(({ most }) => most));
  const most = least > before.memoryBytes ? `; up to ${roomText(least)} fit` : "; it cannot grow there";
  return `"${before.name}" has ${needText(before.memoryBytes)} and cannot have ${needText(after.memoryBytes)}: ${each}${most}`;
}

/** Each shard that lacks a replica needs a place for it, beside the instances of the other shards. */
function noReplica({ before, after, nodes, others }: Growth): string | undefined {
  const size = { memoryBytes: after.memoryBytes, diskBytes: diskBytes(after) };
  const own = before.shards.flatMap(({ instances, primary }) =>
    instances.map(({ id, node, port }) => ({ node, port, ...size, primary: id === primary })),
  );
  const everything = [...others, ...own];
  for (const shard of before.shards) {
    if (desiredInstances(after) <= shard.instances.length) continue;
    const placed = placeInstance({
      nodes,
      everything,
      ...size,
      storeVersion: after.storeVersion,
      tls: wantsTls(after),
      avoid: [primaryOf(shard).node],
      role: "replica",
      room: "growth",
      portOffset: 0,
    });
    if ("refusal" in placed) return placed.refusal;
    everything.push({ ...placed, ...size, primary: false });
  }
  return undefined;
}
