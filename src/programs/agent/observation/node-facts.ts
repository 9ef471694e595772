import { clusterNames } from "../../../core/api/names.ts";
import type { NodeFacts } from "../../../core/planner/database/facts.ts";
import type { Member, Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import type { NodeCapability, NodeReport } from "../members/node-report.ts";
import { isDraining } from "../../../core/records/maintenance.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What the facts about nodes are gathered from. */
export interface NodeFactsContext {
  readonly config: Pick<AgentConfig, "cluster" | "node">;
  readonly members: Pick<Members, "list">;
  readonly peers: Pick<Peers, "answers">;
  readonly records: Pick<Records, "state">;
}

/**
 * Every node that has ever reported. One without a fresh lease counts as alive when its agent answers, and is left: the API does
 * not reach it, so that it follows no change of a record.
 */
export function gatherNodes(context: NodeFactsContext): Promise<readonly NodeFacts[]> {
  return Promise.all(context.members.list().map((member) => nodeFacts(context, member)));
}

async function nodeFacts({ config, peers, records }: NodeFactsContext, member: Member): Promise<NodeFacts> {
  const { uid, report } = member;
  const here = uid === config.node;
  const alive = member.fresh || here || (await peers.answers(uid));
  return {
    uid,
    alive,
    goneForMs: alive ? 0 : member.silentForMs,
    draining: isDraining(records.state(), uid) || (alive && !member.fresh && !here),
    engines: report.engines.map(({ storeVersion }) => storeVersion),
    tlsEngines: report.engines.flatMap(({ storeVersion, tls }) => (tls === true ? [storeVersion] : [])),
    memoryBytes: report.memoryBytes,
    ...(report.container === undefined ? {} : { container: report.container }),
    ...(report.volume === undefined ? {} : { volumeRoom: report.volume.room }),
    keepsInSync: keepsInSync(report),
    startsAnew: report.capabilities.includes("starts-anew" satisfies NodeCapability),
    pod: clusterNames.nodePod(config.cluster, uid),
  };
}

/** True of a node that keeps the set of replicas in sync for its primaries; nodes of releases before 0.4.0 do not. */
export function keepsInSync({ capabilities }: Pick<NodeReport, "capabilities">): boolean {
  return capabilities.includes("in-sync-set" satisfies NodeCapability);
}
