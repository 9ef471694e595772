import { assertNever } from "#kit/base/assert-never";
import type { DatabaseRecord } from "../../api/records.ts";
import { primaryOf } from "./facts.ts";

/** A node that takes clients. */
export interface EndpointNode {
  readonly uid: number;
  /** It is about to leave. */
  readonly isLeaving: boolean;
}

/**
 * Those of the nodes that the address of a database leads to, by its `proxyPolicy`; those that are about to leave only when there is no other. Every node
 * serves every database, so none of them is wrong: where the policy leaves none, all are right.
 */
export function endpointNodes<Node extends EndpointNode>(
  record: Pick<DatabaseRecord, "proxyPolicy" | "shards">,
  nodes: readonly Node[],
): readonly Node[] {
  const staying = nodes.filter(({ isLeaving }) => !isLeaving);
  const able = staying.length > 0 ? staying : nodes;
  const chosen = chosenNodes(record, able);
  return chosen.length > 0 ? chosen : able;
}

function chosenNodes<Node extends EndpointNode>(
  { proxyPolicy, shards }: Pick<DatabaseRecord, "proxyPolicy" | "shards">,
  able: readonly Node[],
): readonly Node[] {
  switch (proxyPolicy) {
    case "all-nodes":
      return able;
    case "all-master-shards": {
      const primaries = new Set(shards.map((shard) => primaryOf(shard).node));
      return able.filter(({ uid }) => primaries.has(uid));
    }
    case "single": {
      const first = shards.map((shard) => primaryOf(shard).node).find((node) => able.some(({ uid }) => uid === node));
      return able.filter(({ uid }) => uid === (first ?? able[0]?.uid));
    }
    default:
      return assertNever(proxyPolicy);
  }
}
