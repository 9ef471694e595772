/** What a primary to be shows of a switch, when the leader that began the switch can act on it no more. */
export interface TargetSight {
  /** `filled`: it is still a replica, so it has never served. `gone`: its process has ended, and none has begun since. */
  readonly state: "promoted" | "filled" | "gone" | "silent";
  readonly hasReplica: boolean;
}

/** What a primary that served before shows: `retired` when it refuses writes without an end. */
export type SourceSight = "serving" | "retired" | "gone" | "silent";

export interface TableSight {
  readonly targets: readonly TargetSight[];
  readonly sources: readonly SourceSight[];
}

/** `serve`: the shards to be may have clients, and serve from now on. `take-back`: no client has ever been there. `wait`: who is silent knows. */
export type TableOutcome = "serve" | "take-back" | "wait";

/**
 * How a switch ends whose leader is gone. It went in this order: the shards to be and their replicas have all, each former primary retires, each target is promoted,
 * clients go there. So one target that is a replica, and one former primary that serves, say that no client has been there; one target that is promoted, and one former
 * primary that is retired, that nothing is missing there.
 */
export function tableOutcome({ targets, sources }: TableSight): TableOutcome {
  const states = targets.map(({ state }) => state);
  if (states.includes("filled") || sources.includes("serving")) return "take-back";
  if (states.includes("silent")) return "wait";
  if (states.includes("promoted")) return "serve";
  // all that could say more is gone: what clients may have written to the targets is at their replicas
  if (sources.includes("retired")) return targets.every(({ hasReplica }) => hasReplica) ? "serve" : "take-back";
  return sources.includes("silent") ? "wait" : "take-back";
}
