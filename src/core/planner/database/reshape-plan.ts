import type { DatabaseRecord, MoverPlace, ShardRecord } from "../../api/records.ts";
import type { SlotRange } from "../../base/slot-range.ts";
import { evenSlots } from "../../slots/shard-slots.ts";
import { instanceSize } from "../node/instance-size.ts";
import { wantsTls } from "./facts.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";
import { placeShards, type InstancePlace, type NewShards } from "./place-shards.ts";
import { freeShardPorts, portOffsetOf } from "./placement.ts";

/** A database that is to have another number of shards. */
export interface Reshape {
  readonly record: DatabaseRecord;
  /** How many shards it shall have. */
  readonly to: number;
  readonly nodes: readonly NodeFacts[];
  /** Instances of all databases, of this one too. */
  readonly everything: readonly PlacedInstance[];
}

export interface PlannedShard {
  readonly slots: readonly SlotRange[];
  /** Of its primary, and of its replica. */
  readonly places: readonly InstancePlace[];
}

/** What instances of a database may take of a node, in bytes. */
export interface MemoryOfMove {
  readonly node: number;
  readonly before: number;
  /** While both sets of shards are there. */
  readonly meanwhile: number;
  readonly after: number;
}

export interface ReshapePlan {
  readonly shards: readonly PlannedShard[];
  readonly memory: readonly MemoryOfMove[];
  /** On the node that has the most primaries. */
  readonly mover: MoverPlace;
}

/**
 * How a database gets another number of shards: whole new shards with even slots, beside the former ones until those go. A sentence where that cannot be.
 */
export function planReshape(reshape: Reshape): ReshapePlan | { readonly refusal: string } {
  const { record, to } = reshape;
  const slots = evenSlots(to);
  const placed = placeShards({ ...wantedOf(reshape), shards: slots.map((each) => ({ slots: each })) });
  if ("refusal" in placed)
    return { refusal: `a ${placed.role} finds no place while both sets of shards are there: ${placed.refusal}` };
  const shards = slots.map((each, at) => ({ slots: each, places: placed.places[at] ?? [] }));
  const mover = moverOf(reshape, placed.places.flat());
  if (mover === undefined) return { refusal: "no node has a free port for each new shard" };
  return { shards, memory: memoryOf(record, shards), mover };
}

function wantedOf({ record, nodes, everything }: Reshape): Omit<NewShards, "shards"> {
  const { uid: bdb, storeVersion, nextInstance: firstInstance } = record;
  return { settings: record, storeVersion, tls: wantsTls(record), nodes, everything, bdb, firstInstance };
}

function moverOf({ record, to, nodes, everything }: Reshape, own: readonly InstancePlace[]): MoverPlace | undefined {
  const primariesOn = (uid: number): number =>
    record.shards.filter(({ primary, instances }) => instances.some(({ id, node }) => id === primary && node === uid))
      .length;
  const usable = nodes.filter(({ alive, draining }) => alive && !draining).map(({ uid }) => uid);
  const offset = portOffsetOf(record.uid, record.nextInstance + own.length);
  const taken = [...everything, ...own.map((place) => ({ ...place, memoryBytes: 0, diskBytes: 0, primary: false }))];
  for (const node of usable.toSorted((a, b) => primariesOn(b) - primariesOn(a) || a - b)) {
    const ports = freeShardPorts(node, taken, to, offset);
    if (ports !== undefined) return { node, ports };
  }
  return undefined;
}

function memoryOf(record: DatabaseRecord, next: readonly PlannedShard[]): readonly MemoryOfMove[] {
  const before = memoryByNode(
    record,
    record.shards.map((shard) => ({ ...shard, places: shard.instances })),
  );
  const after = memoryByNode(record, next);
  const nodes = [...new Set([...before.keys(), ...after.keys()])].toSorted((a, b) => a - b);
  return nodes.map((node) => {
    const [was, becomes] = [before.get(node) ?? 0, after.get(node) ?? 0];
    return { node, before: was, meanwhile: was + becomes, after: becomes };
  });
}

function memoryByNode(
  record: DatabaseRecord,
  shards: readonly (Pick<ShardRecord, "slots"> & { readonly places: readonly Pick<InstancePlace, "node">[] })[],
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const shard of shards) {
    const { memoryBytes } = instanceSize(record, shard);
    for (const { node } of shard.places) sums.set(node, (sums.get(node) ?? 0) + memoryBytes);
  }
  return sums;
}
