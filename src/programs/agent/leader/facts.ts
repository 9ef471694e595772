import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { DatabaseFacts, InstanceFacts, NodeFacts } from "../../../core/planner/database/facts.ts";
import { addressOf, askNode, everyInstance, lookAt } from "../records/cluster-view.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { isDraining } from "../records/maintenance.ts";
import type { Member } from "../records/members.ts";
import { instanceFacts } from "./observation.ts";
import type { Answers } from "./observation.ts";

/** Gathers what a decision about a database rests on. */
export async function gatherFacts(
  view: ClusterView,
  record: DatabaseRecord,
  verified: ReadonlySet<number>,
): Promise<DatabaseFacts> {
  const [nodes, answers] = await Promise.all([gatherNodes(view), lookAt(view, record)]);
  const instances = await gatherInstances(view, record, nodes, answers);
  return { record, nodes, instances, verified, everything: everyInstance(view.records.databases()) };
}

/** Every node that has ever reported; one without a fresh lease counts as alive when its agent answers. */
export function gatherNodes(view: ClusterView): Promise<readonly NodeFacts[]> {
  return Promise.all(view.members.list().map((member) => nodeFacts(view, member)));
}

async function nodeFacts(view: ClusterView, member: Member): Promise<NodeFacts> {
  const { uid, report } = member;
  const alive = member.fresh || uid === view.config.node || (await view.peers.answers(uid));
  return {
    uid,
    alive,
    goneForMs: alive ? 0 : member.silentForMs,
    draining: isDraining(view.records.state(), uid),
    engines: report.engines.map(({ storeVersion }) => storeVersion),
    memoryBytes: report.memoryBytes,
  };
}

async function gatherInstances(
  view: ClusterView,
  record: DatabaseRecord,
  nodes: readonly NodeFacts[],
  answers: Answers,
): Promise<ReadonlyMap<number, InstanceFacts>> {
  const hosts = (node: number): string | undefined => addressOf(view, node);
  const isAway = (node: number): boolean => nodes.find(({ uid }) => uid === node)?.alive === false;
  const isGone = (node: number): boolean => isAway(node) && view.members.get(node)?.mayAcknowledge === false;
  const entries = record.shards.flatMap((shard) =>
    shard.instances.map(async (instance) => {
      const serves = answers.get(instance.id)?.state === "serving";
      // a node that is away did not answer a moment ago
      const word =
        serves || isAway(instance.node) ? undefined : await askNode(view, instance.node, record.uid, instance.id);
      const facts = instanceFacts(record, shard, instance, answers, hosts, word, isGone(instance.node));
      return [instance.id, facts] as const;
    }),
  );
  return new Map(await Promise.all(entries));
}
