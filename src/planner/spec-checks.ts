import type { Finding } from "../api/parts.ts";
import type { ClusterView } from "./cluster-view.ts";
import type { ClusterRule } from "./prerequisites-config.ts";

/** Rules on the spec that no schema can hold; any objection is SPEC STATUS Invalid. */
export const SPEC_RULES: readonly ClusterRule[] = [nodesAreOdd, nodesAreEnough, nodesNeverShrink];

function nodesAreOdd({ spec }: ClusterView): Finding | undefined {
  if (spec.nodes % 2 === 1) return undefined;
  return invalid(`spec.nodes is ${spec.nodes}: an even number of nodes has no majority`, spec.nodes + 1);
}

function nodesAreEnough({ spec }: ClusterView): Finding | undefined {
  return spec.nodes >= 3 ? undefined : invalid(`spec.nodes is ${spec.nodes}: at least 3 are needed to lose one`, 3);
}

function nodesNeverShrink({ spec, workload }: ClusterView): Finding | undefined {
  if (workload === undefined || spec.nodes >= workload.replicas) return undefined;
  return invalid(
    `spec.nodes is ${spec.nodes} and the cluster has ${workload.replicas}: nodes are not removed`,
    workload.replicas,
  );
}

function invalid(evidence: string, nodes: number): Finding {
  return { id: "SpecInvalid", severity: "block", evidence, remedy: `set spec.nodes to ${nodes}` };
}
