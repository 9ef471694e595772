import type { Finding } from "../../api/parts.ts";
import type { ClusterView } from "./view.ts";
import type { ClusterRule } from "./prerequisites-config.ts";

/** Rules on the spec that no schema can hold; any objection is SPEC STATUS Invalid. */
export const SPEC_RULES: readonly ClusterRule[] = [nodesAreRight];

/** One objection at most, whose remedy satisfies all that is asked of the number: odd, at least 3, never lowered. */
function nodesAreRight(view: ClusterView): Finding | undefined {
  const { spec, workload } = view;
  const has = workload?.replicas ?? 0;
  if (spec.nodes < has) {
    return invalid(view, `spec.nodes is ${spec.nodes} and the cluster has ${has}: nodes are not removed`, has);
  }
  if (spec.nodes < 3) return invalid(view, `spec.nodes is ${spec.nodes}: at least 3 are needed to lose one`, 3);
  if (spec.nodes % 2 === 1) return undefined;
  return invalid(view, `spec.nodes is ${spec.nodes}: an even number of nodes has no majority`, spec.nodes + 1);
}

function invalid({ name }: ClusterView, evidence: string, nodes: number): Finding {
  const remedy = `kubectl patch rec ${name} --type merge -p '{"spec":{"nodes":${nodes}}}'`;
  return { id: "SpecInvalid", severity: "block", evidence, remedy };
}
