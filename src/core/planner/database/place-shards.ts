import { needText, unitOf } from "#kit/base/sizes";
import type { StoreVersion } from "../../api/records.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { slotShare, type SlotHolder } from "../../slots/shard-slots.ts";
import { instanceSize } from "../node/instance-size.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";
import { noPlace, placeInstance, portOffsetOf, type NoPlace } from "./placement.ts";

/** Shards that are to be made. */
export interface NewShards {
  readonly settings: Pick<SettingValues, "memoryBytes" | "persistence" | "replication" | "shardsPlacement">;
  readonly shards: readonly SlotHolder[];
  readonly storeVersion: StoreVersion;
  /** Its engines have to speak TLS. */
  readonly tls: boolean;
  readonly nodes: readonly NodeFacts[];
  /** Instances that are there already. */
  readonly everything: readonly PlacedInstance[];
  /** Those of them that are of other shards of the database, which stay. */
  readonly kept: readonly PlacedInstance[];
  /** The uid that the database has, or will have as far as is known. */
  readonly bdb: number;
  /** The id that its first new instance will have. */
  readonly firstInstance: number;
}

/** Where an instance runs. */
export interface InstancePlace {
  readonly node: number;
  readonly port: number;
}

export type ShardPlaces =
  /** For each shard, the place of its primary and then that of its replica. */
  | { readonly places: readonly (readonly InstancePlace[])[] }
  /** An instance finds no place. */
  | (NoPlace & { readonly role: "primary" | "replica" });

/**
 * The places of all instances of new shards, or none: primaries first, on as many nodes as can be or on as few, then a replica of each on another node. What
 * is placed takes its room before the next one is. Where the last ones of a dense database find no place beside the others, it is placed sparsely.
 */
export function placeShards(wanted: NewShards): ShardPlaces {
  const placed = placeAll(wanted);
  if (!("id" in placed) || wanted.settings.shardsPlacement === "sparse") return placed;
  return placeAll({ ...wanted, settings: { ...wanted.settings, shardsPlacement: "sparse" } });
}

function placeAll(wanted: NewShards): ShardPlaces {
  const placing = new Placing(wanted);
  for (const role of wanted.settings.replication ? (["primary", "replica"] as const) : (["primary"] as const))
    for (const at of wanted.shards.keys()) {
      const none = placing.add(at, role);
      if (none !== undefined) return { ...noPlace(`${shareText(wanted, at)}${none.evidence}`), role };
    }
  return { places: placing.places };
}

/** What one of several shards takes, which no user has asked for in figures. */
function shareText({ settings, shards }: NewShards, at: number): string {
  if (shards.length === 1) return "";
  const isEach = Math.max(...shards.map(slotShare)) - Math.min(...shards.map(slotShare)) <= 1;
  const { memoryBytes } = instanceSize(settings, shards[at] ?? {});
  return `${isEach ? "each" : "one"} of ${shards.length} shards needs ${needText(memoryBytes, unitOf(memoryBytes))} of memory; `;
}

/** The instances that have a place so far. */
class Placing {
  readonly places: InstancePlace[][];
  readonly #wanted: NewShards;
  readonly #own: PlacedInstance[] = [];

  constructor(wanted: NewShards) {
    this.#wanted = wanted;
    this.places = wanted.shards.map(() => []);
  }

  /** Places an instance of the shard; why when it finds no place. */
  add(at: number, role: "primary" | "replica"): NoPlace | undefined {
    const { settings, shards, everything, kept, bdb, firstInstance, ...asked } = this.#wanted;
    const places = this.places[at] ?? [];
    const size = instanceSize(settings, shards[at] ?? {});
    const placed = placeInstance({
      ...asked,
      ...size,
      everything: [...everything, ...this.#own],
      ofOtherShards: [...kept, ...this.#own],
      shardsPlacement: settings.shardsPlacement,
      room: "growth",
      avoid: places.map(({ node }) => node),
      role,
      portOffset: portOffsetOf(bdb, firstInstance + this.#own.length),
    });
    if ("id" in placed) return placed;
    places.push(placed);
    this.#own.push({ ...placed, ...size, primary: role === "primary" });
    return undefined;
  }
}
