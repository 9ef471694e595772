import { CLUSTER_RULES } from "../admission/cluster.ts";
import { findingOf } from "../admission/objection.ts";
import type { Check } from "./check.ts";

/** What only matters when a spec is written. */
const AT_REST = { tags: [], askedSize: undefined, growthRefusal: undefined } as const;

/** What admission asks of the spec of a cluster, asked again: a spec may be older than its rules, or admission off. */
export const SPEC_CHECKS: readonly Check[] = CLUSTER_RULES.map(({ id, asks, rule }) => ({
  id,
  asks,
  at: ["spec"],
  needs: [],
  find({ view: { name, spec, workload } }) {
    const [objection] = rule({ name, spec, before: undefined, nodes: workload?.replicas ?? 0, ...AT_REST });
    return objection === undefined ? undefined : findingOf(objection);
  },
}));
