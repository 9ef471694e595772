import { needText, unitOf } from "#kit/base/sizes";
import type { DatabaseRecord, MoverPlace, ShardRecord } from "../../api/records.ts";
import { inOrder, slotTexts } from "../../slots/named-slots.ts";
import { slotShare, type SizedShard, type SlotHolder } from "../../slots/shard-slots.ts";
import { instanceSize } from "../node/instance-size.ts";
import { wantsTls } from "./facts.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";
import { placedOf } from "./placed.ts";
import { placeShards, type InstancePlace, type NewShards } from "./place-shards.ts";
import { freeShardPorts, noPlace, portOffsetOf, type NoPlace } from "./placement.ts";
import { sizedShards } from "./sized-shards.ts";

/** A database that is to have other shards. */
export interface Reshape {
  readonly record: DatabaseRecord;
  /** The shards that it shall have. */
  readonly to: readonly SizedShard[];
  readonly nodes: readonly NodeFacts[];
  /** Instances of all databases, of this one too. */
  readonly everything: readonly PlacedInstance[];
}

export type PlannedShard = SizedShard & {
  /** Of its primary, and of its replica. */
  readonly places: readonly InstancePlace[];
};

/** What instances of a database may take of a node, in bytes. */
export interface MemoryOfMove {
  readonly node: number;
  readonly before: number;
  /** While the shards that are replaced and the new ones are there. */
  readonly meanwhile: number;
  readonly after: number;
}

export interface ReshapePlan {
  /** All shards that are asked for, in the order of their slots. */
  readonly table: readonly SizedShard[];
  /** Those that are made. */
  readonly shards: readonly PlannedShard[];
  /** Those that serve and have the slots of one that is asked for. */
  readonly kept: readonly ShardRecord[];
  readonly memory: readonly MemoryOfMove[];
  /** On the node that has the most primaries of shards that are replaced. */
  readonly mover: MoverPlace;
}

/**
 * How a database gets other shards: new ones in the place of those that serve and have other slots, beside them until they go. A shard whose slots stay is
 * kept. Why not where that cannot be.
 */
export function planReshape(reshape: Reshape): ReshapePlan | NoPlace {
  const { record } = reshape;
  const table = inOrder(reshape.to);
  const { kept, replaced, asked } = splitShards(record, table);
  const sized = sizesOf(record, replaced, asked);
  if ("id" in sized) return sized;
  const placed = placeShards({ ...wantedOf(reshape, kept), shards: sized.shards });
  if ("id" in placed)
    return noPlace(`a ${placed.role} finds no place while both sets of shards are there: ${placed.evidence}`);
  const shards = sized.shards.map((shard, at) => ({ ...shard, places: placed.places[at] ?? [] }));
  const mover = moverOf(reshape, replaced, placed.places);
  if (mover === undefined) return noPlace("no node has a free port for each new shard");
  return { table, shards, kept, memory: memoryOf(record, { kept, replaced, shards }), mover };
}

interface SplitShards {
  readonly kept: readonly ShardRecord[];
  readonly replaced: readonly ShardRecord[];
  /** The shards that are made. */
  readonly asked: readonly SizedShard[];
}

function splitShards({ shards }: DatabaseRecord, table: readonly SizedShard[]): SplitShards {
  const textOf = (shard: SlotHolder): string => slotTexts([shard]).join("");
  const asked = new Map(table.map((shard) => [textOf(shard), shard]));
  const { kept = [], replaced = [] } = Object.groupBy(shards, (shard) =>
    asked.delete(textOf(shard)) ? "kept" : "replaced",
  );
  return { kept, replaced, asked: [...asked.values()] };
}

/** What new shards may use: together as much as those in whose place they come. */
function sizesOf(
  record: DatabaseRecord,
  replaced: readonly ShardRecord[],
  asked: readonly SizedShard[],
): { readonly shards: readonly SizedShard[] } | NoPlace {
  const whole = replaced.reduce((sum, shard) => sum + slotShare(shard), 0);
  const shards = sizedShards(record.memoryBytes, asked, whole);
  if (shards !== undefined) return { shards };
  const memory = replaced.reduce((sum, shard) => sum + instanceSize(record, shard).memoryBytes, 0);
  const has = needText(memory, unitOf(record.memoryBytes));
  return noPlace(`${asked.length} new shards have ${has} together, of those that they replace, and need more`);
}

function wantedOf(
  { record, nodes, everything }: Reshape,
  keptShards: readonly ShardRecord[],
): Omit<NewShards, "shards"> {
  const { uid: bdb, storeVersion, nextInstance: firstInstance } = record;
  const kept = keptShards.flatMap((shard) => placedOf(record, shard));
  return { settings: record, storeVersion, tls: wantsTls(record), nodes, everything, kept, bdb, firstInstance };
}

function moverOf(
  { record, nodes, everything }: Reshape,
  replaced: readonly ShardRecord[],
  places: readonly (readonly InstancePlace[])[],
): MoverPlace | undefined {
  const own = places.flat();
  const primariesOn = (uid: number): number =>
    replaced.filter(({ primary, instances }) => instances.some(({ id, node }) => id === primary && node === uid))
      .length;
  const usable = nodes.filter(({ alive, draining }) => alive && !draining).map(({ uid }) => uid);
  const offset = portOffsetOf(record.uid, record.nextInstance + own.length);
  const taken = [...everything, ...own.map((place) => ({ ...place, memoryBytes: 0, diskBytes: 0, primary: false }))];
  for (const node of usable.toSorted((a, b) => primariesOn(b) - primariesOn(a) || a - b)) {
    const ports = freeShardPorts(node, taken, places.length, offset);
    if (ports !== undefined) return { node, ports };
  }
  return undefined;
}

function memoryOf(
  record: DatabaseRecord,
  sets: Pick<SplitShards, "kept" | "replaced"> & Pick<ReshapePlan, "shards">,
): readonly MemoryOfMove[] {
  const [kept, replaced, next] = [
    memoryByNode(record, sets.kept.map(placesOfShard)),
    memoryByNode(record, sets.replaced.map(placesOfShard)),
    memoryByNode(record, sets.shards),
  ];
  const nodes = [...new Set([...kept.keys(), ...replaced.keys(), ...next.keys()])].toSorted((a, b) => a - b);
  return nodes.map((node) => {
    const [stays, goes, comes] = [kept.get(node) ?? 0, replaced.get(node) ?? 0, next.get(node) ?? 0];
    return { node, before: stays + goes, meanwhile: stays + goes + comes, after: stays + comes };
  });
}

type Placed = SlotHolder & { readonly places: readonly Pick<InstancePlace, "node">[] };

function placesOfShard(shard: ShardRecord): Placed {
  return { ...shard, places: shard.instances };
}

function memoryByNode(record: DatabaseRecord, shards: readonly Placed[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const shard of shards) {
    const { memoryBytes } = instanceSize(record, shard);
    for (const { node } of shard.places) sums.set(node, (sums.get(node) ?? 0) + memoryBytes);
  }
  return sums;
}
