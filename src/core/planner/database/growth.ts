import { needText, roomText, unitOf } from "#kit/base/sizes";
import type { DatabaseRecord, ShardRecord } from "../../api/records.ts";
import { SLOTS } from "../../slots/slot.ts";
import { shareOf } from "../../slots/shard-slots.ts";
import { instanceSize } from "../node/instance-size.ts";
import { desiredInstances, primaryOf, wantsTls } from "./facts.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";
import { placedOf } from "./placed.ts";
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
  const takesDisk = after.shards.some((shard) => diskOf(after, shard) > diskOf(before, shard));
  return (
    (grows ? noRoomWhereItIs(growth) : undefined) ??
    (takesDisk ? noDiskWhereItIs(growth) : undefined) ??
    noReplica(growth)
  );
}

function diskOf(record: DatabaseRecord, shard: ShardRecord): number {
  return instanceSize(record, shard).diskBytes;
}

function noDiskWhereItIs({ before, after, nodes, others }: Growth): string | undefined {
  const short = holdersOf(before, nodes)
    .map(({ node: { uid, volumeRoom }, shards }) => ({
      uid,
      needed: shards.reduce((sum, shard) => sum + diskOf(after, shard), 0),
      free: freeOnVolume({ uid, volumeRoom }, others),
    }))
    .find(({ needed, free }) => free < needed);
  if (short === undefined) return undefined;
  return `"${before.name}" may take ${needText(short.needed)} of a volume then, and that of node ${short.uid} has room for ${roomText(short.free)}`;
}

/** A node that has instances of the database, with the shard of each. */
interface Holder {
  readonly node: NodeFacts;
  readonly shards: readonly ShardRecord[];
}

function holdersOf({ shards }: DatabaseRecord, nodes: readonly NodeFacts[]): readonly Holder[] {
  const held = shards.flatMap((shard) => shard.instances.map(({ node }) => ({ node, shard })));
  const uids = [...new Set(held.map(({ node }) => node))];
  return uids.flatMap((uid) =>
    nodes
      .filter((node) => node.uid === uid)
      .map((node) => ({ node, shards: held.filter((one) => one.node === uid).map(({ shard }) => shard) })),
  );
}

/** The size of the database of which a node has room for what it holds, each instance as large as the largest of them. */
function largestFor({ node, shards }: Holder, others: readonly PlacedInstance[]): number {
  const most = Math.max(...shards.map((shard) => shareOf(SLOTS, shard)));
  return Math.floor((largestOn(node, others, shards.length) * SLOTS) / most);
}

/** Why the nodes of the database have no room for its growth: databases do not move to grow. */
function noRoomWhereItIs({ before, after, nodes, others }: Growth): string | undefined {
  const rooms = holdersOf(before, nodes).map((holder) => ({
    uid: holder.node.uid,
    most: largestFor(holder, others),
  }));
  if (rooms.every(({ most }) => most >= after.memoryBytes)) return undefined;
  const unit = unitOf(after.memoryBytes);
  const each = rooms.map(({ uid, most }) => `node ${uid} has room for ${roomText(most, unit)} of it`).join(", ");
  const least = Math.min(...rooms.map(({ most }) => most));
  const most = least > before.memoryBytes ? `; up to ${roomText(least, unit)} fit` : "; it cannot grow there";
  const [had = "", asked = ""] = [before, after].map(({ memoryBytes }) => needText(memoryBytes, unit));
  return `"${before.name}" has ${had} and cannot have ${asked}: ${each}${most}`;
}

/** Each shard that lacks a replica needs a place for it, beside the instances of the other shards. */
function noReplica({ before, after, nodes, others }: Growth): string | undefined {
  const own = before.shards.map((shard) => ({ shard, placed: [...placedOf(after, shard)] }));
  for (const { shard, placed: ofShard } of own) {
    if (desiredInstances(after) <= shard.instances.length) continue;
    const size = instanceSize(after, shard);
    const ofOtherShards = own.filter((one) => one.shard !== shard).flatMap(({ placed: ofOther }) => ofOther);
    const placed = placeInstance({
      nodes,
      everything: [...others, ...ofOtherShards, ...ofShard],
      ofOtherShards,
      shardsPlacement: after.shardsPlacement,
      ...size,
      storeVersion: after.storeVersion,
      tls: wantsTls(after),
      avoid: [primaryOf(shard).node],
      role: "replica",
      room: "growth",
      portOffset: 0,
    });
    if ("id" in placed) return placed.evidence;
    ofShard.push({ ...placed, ...size, primary: false });
  }
  return undefined;
}
