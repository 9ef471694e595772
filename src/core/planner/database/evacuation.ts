import type { InstanceRecord, ShardRecord } from "../../api/records.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";
import { act, REST, waitUnasked, type Step } from "../findings/step.ts";
import { inSync, primaryOf, replicasOf, shardName, syncText, desiredInstances } from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { compareHeirs } from "./heirs.ts";
import { addReplica } from "./replicas.ts";

/**
 * Moves a primary off a node that is to be left: to a replica in sync, one of the same version before one of another; a database without a
 * replica gets one elsewhere first. Undefined when the primary may stay.
 */
export function evacuationStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const primary = primaryOf(shard);
  if (!drains(facts, primary.node)) return undefined;
  const elsewhere = replicasOf(shard)
    .filter(({ node }) => isFit(facts, node))
    .toSorted((a, b) => foreignness(a, primary) - foreignness(b, primary) || compareHeirs(facts.record, shard, a, b));
  const heir = elsewhere.find(({ id }) => inSync(facts.instances.get(id)));
  if (heir === undefined) {
    const late = elsewhere[0];
    if (late !== undefined) return waitBecause(syncText(late, facts.instances.get(late.id)));
    if (shard.instances.length <= desiredInstances(facts.record)) return addReplica(facts, shard);
    return waitBecause(
      `each replica of ${shardName(facts.record, shard.id)} is on a node that is down or in maintenance`,
    );
  }
  if (heir.storeVersion !== primary.storeVersion && !facts.verified.has(heir.id)) {
    return { kind: "verify", shard: shard.id, replica: heir.id };
  }
  return { kind: "switch-over", shard: shard.id, to: heir.id };
}

/** What is known about a node that is to be left. */
export interface EvacuationFacts {
  readonly node: number;
  readonly alive: boolean;
  readonly isLeader: boolean;
  readonly demote: boolean;
  /** Another node may lead. */
  readonly hasSuccessor: boolean;
  /** Names of the databases whose primary is still there, with what each waits for. */
  readonly primaries: readonly { readonly name: string; readonly waitingFor: string }[];
  /** Names of the databases whose copy on the node is being replaced by one elsewhere. */
  readonly replacing: readonly string[];
  /** EndpointSlices of databases that still send clients there. */
  readonly listedIn: readonly string[];
  readonly waitedForEndpointsMs: number;
  readonly clientsDrained: boolean;
}

/** What the leader does next for a node that is to be left. */
export type EvacuationAct = "hand-over-leadership" | "drain-clients";

/** How long Services may send new clients to the node after its primaries left; then its clients are drained all the same. */
export const ENDPOINTS_PATIENCE_MS = 10_000;

/** Leadership first, then primaries, then replicas that fit elsewhere, then clients once no Service sends new ones there. */
export function decideEvacuation(facts: EvacuationFacts): Step<EvacuationAct> {
  if (facts.isLeader && facts.demote && facts.hasSuccessor)
    return act("hand-over-leadership", `node ${facts.node} leads the cluster`);
  const held = dataLeft(facts);
  if (held !== undefined) return waitUnasked("EvacuatingNode", held);
  if (!facts.alive || facts.clientsDrained) return REST;
  if (facts.listedIn.length > 0 && facts.waitedForEndpointsMs < ENDPOINTS_PATIENCE_MS) {
    return waitUnasked("EvacuatingNode", `${facts.listedIn.join(", ")} still lists node ${facts.node}`);
  }
  return act("drain-clients", `nothing sends new clients to node ${facts.node}`);
}

/** What of the data has not left the node; undefined when all has. */
function dataLeft({ primaries, replacing }: EvacuationFacts): string | undefined {
  const stuck = primaries[0];
  if (stuck !== undefined) {
    const more = primaries.length === 1 ? "" : ` and ${primaries.length - 1} more`;
    return `the primary of "${stuck.name}"${more} ${stuck.waitingFor === "" ? "is moving" : `waits: ${stuck.waitingFor}`}`;
  }
  const [copy] = replacing;
  if (copy === undefined) return undefined;
  const more = replacing.length === 1 ? "" : ` and of ${replacing.length - 1} more`;
  return `a copy of "${copy}"${more} is being made on another node`;
}

function drains({ nodes }: DatabaseFacts, node: number): boolean {
  return nodes.some(({ uid, draining }) => uid === node && draining);
}

function isFit({ nodes }: DatabaseFacts, node: number): boolean {
  return nodes.some(({ uid, alive, draining }) => uid === node && alive && !draining);
}

function foreignness(replica: InstanceRecord, primary: InstanceRecord): number {
  return replica.storeVersion === primary.storeVersion ? 0 : 1;
}
