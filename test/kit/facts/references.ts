import type { ReferencedCluster, References } from "../../../src/core/planner/admission/references.ts";
import { NEW } from "./cluster-view.ts";

/** A namespace with the cluster "rec" of the newest release, and nothing else in it. */
export function references(change: Partial<References> = {}): References {
  return { release: NEW, clusters: [nearby()], databases: [], activeActives: [], remoteClusters: [], ...change };
}

/** The cluster "rec" as others see it: no policy, no modules of users, room for two more shards. */
export function nearby(change: Partial<ReferencedCluster> = {}): ReferencedCluster {
  return {
    name: "rec",
    upgradePolicy: undefined,
    modules: [{ names: ["search"] }],
    userModules: [],
    secrets: ["rec", "rec-ca", "rec-node-tls"],
    account: "rec",
    shards: { used: 2, limit: 4 },
    ...change,
  };
}
