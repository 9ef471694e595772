import { everyShard } from "../api/every-shard.ts";
import type { DatabaseRecord, InstanceRecord } from "../api/records.ts";

/** What a record says of places. */
type PlacedRecord = Pick<DatabaseRecord, "uid" | "shards" | "reshape">;

/** Where an engine listens. */
type Place = Pick<InstanceRecord, "node" | "port">;

/** The places that a record has and did not have before; of a record that is new, all. */
export function newPlaces(before: PlacedRecord | undefined, after: PlacedRecord): readonly Place[] {
  const known = new Set(before === undefined ? [] : placesOf(before).map(keyOf));
  return placesOf(after).filter((place) => !known.has(keyOf(place)));
}

/** The first of the places that another database has, and which: two engines cannot listen there. Undefined when none has one. */
export function sharedPlace(
  uid: number,
  places: readonly Place[],
  records: Iterable<PlacedRecord>,
): { readonly place: Place; readonly by: number } | undefined {
  const wanted = new Set(places.map(keyOf));
  for (const other of records) {
    if (other.uid === uid) continue;
    const place = placesOf(other).find((one) => wanted.has(keyOf(one)));
    if (place !== undefined) return { place, by: other.uid };
  }
  return undefined;
}

/** Of its instances, also of the shards that it is to have, and of the process that moves its slots until that has ended. */
function placesOf(record: PlacedRecord): readonly Place[] {
  const instances = everyShard(record).flatMap((shard) => shard.instances);
  const { reshape } = record;
  if (reshape === undefined || reshape.phase === "retire") return instances;
  const { node, ports } = reshape.mover;
  return [...instances, ...ports.map((port) => ({ node, port }))];
}

function keyOf({ node, port }: Place): string {
  return `${node}:${port}`;
}
