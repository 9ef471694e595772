/**
 * What a shard to be shows of a switch, when the leader that began the switch can act on it no more. `promoted`: its primary was, or a replica has its stream since then.
 * `filled`: its primary is still a replica, so no client has been there. `gone`: its primary has ended, and no replica has anything that clients wrote there.
 */
export type TargetSight = "promoted" | "filled" | "gone" | "silent";

/** What a primary that served before shows: `retired` when it refuses writes without an end. */
export type SourceSight = "serving" | "retired" | "gone" | "silent";

export interface TableSight {
  readonly targets: readonly TargetSight[];
  readonly sources: readonly SourceSight[];
}

/** `serve`: the shards to be may have clients, and serve from now on. `take-back`: nothing that clients wrote is left there. `wait`: who is silent knows. */
export type TableOutcome =
  { readonly kind: "serve" } | { readonly kind: "take-back"; readonly loss?: string } | { readonly kind: "wait" };

/**
 * How a switch ends whose leader is gone. It went in this order: the shards to be and their replicas have all, each former primary retires, each target is promoted,
 * clients go there. So one target that was not promoted, and one former primary that serves, say that no client has been there; and one that was promoted says that
 * nothing is missing there. When all of them are gone, what clients may have written there is, too.
 */
export function tableOutcome({ targets, sources }: TableSight): TableOutcome {
  if (targets.includes("filled") || sources.includes("serving")) return { kind: "take-back" };
  if (targets.includes("silent")) return { kind: "wait" };
  return targets.includes("promoted") ? { kind: "serve" } : { kind: "take-back", loss: GONE_WITH_TARGETS };
}

const GONE_WITH_TARGETS =
  "the new shards died while they were being promoted; writes that they acknowledged in between, if any, are lost";
