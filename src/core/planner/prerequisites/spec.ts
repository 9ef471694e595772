import { CLUSTER_RULES } from "../admission/cluster.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { defineCheck } from "./check.ts";

/** Facts that only matter when a spec is written. */
const AT_REST = { tags: [], askedSize: undefined, growthRefusal: undefined } as const;

/** What admission asks of the spec of a cluster, asked again: a spec may be older than its rules, or admission off. */
export const SPEC_CHECKS = CLUSTER_RULES.map(({ id, asks, rule }) =>
  defineCheck({
    id,
    asks,
    at: ["spec"],
    needs: [],
    find({ view }) {
      const { name, spec } = view;
      const [objection] = rule({ name, spec, before: undefined, nodes: nodesGiven(view), ...AT_REST });
      return objection?.finding;
    },
  }),
);

/** Also one without pods, or without its StatefulSet, has been made: it comes back with what its spec has had. */
function nodesGiven({ workload, remembered }: ClusterView): number {
  const wasMade = remembered.version !== undefined || remembered.imageTag !== undefined;
  return Math.max(workload?.replicas ?? 0, remembered.nodes?.length ?? 0, wasMade ? 1 : 0);
}
