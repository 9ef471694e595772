import type { InstanceRecord, ShardRecord } from "../../api/records.ts";
import type { DatabaseStep } from "./step.ts";
import { relaunch, withoutData, withoutNewest } from "./recovery.ts";
import { primaryOf, replicasOf } from "./facts.ts";
import type { DatabaseFacts, InstanceFacts } from "./facts.ts";

/**
 * What a primary that does not serve calls for: nothing while it serves; patience while it starts, loads or is silent;
 * when it is dead, the replica that has the most takes over, and only without one may it start again by itself.
 */
export function primaryStep({ record, instances, nodes }: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  const primary = primaryOf(shard);
  const facts = instances.get(primary.id);
  const who = `the primary of "${record.name}" on node ${primary.node}`;
  if (facts === undefined) return { kind: "wait", reason: `${who} has not been asked yet` };
  switch (facts.state) {
    case "serving":
      return facts.role === "primary" ? undefined : successionStep();
    case "loading":
      return { kind: "wait", reason: `${who} is starting` };
    case "silent":
      return { kind: "wait", reason: `${who} does not answer, and its node has not said that it crashed` };
    case "dead":
      return mayStillStart(primary, facts) ? { kind: "wait", reason: `${who} is starting` } : successionStep();
  }

  function successionStep(): DatabaseStep {
    const heir = heirOf(shard, instances);
    if (heir !== undefined) return { kind: "fail-over", shard: shard.id, to: heir.id };
    if (facts?.lostData === true) return withoutData(record, shard, instances);
    if (facts?.usedLaunch !== undefined) return relaunch(record, shard, facts.usedLaunch, facts.lastWords);
    const gone = Math.round((nodes.find(({ uid }) => uid === primary.node)?.goneForMs ?? 0) / 1000);
    if (gone === 0) return { kind: "wait", reason: `${who} does not run yet` };
    return withoutNewest(record, shard, instances, gone);
  }
}

/**
 * Why an instance acknowledges no more writes: its process has ended or was made a replica (`ended`), or it is `cut-off`: its
 * node has not renewed its lease and does not answer, yet its process may run and come back. Undefined: it may.
 */
export function proofOfEnd(facts: InstanceFacts | undefined): "ended" | "cut-off" | undefined {
  if (facts?.state === "dead") return facts.cutOff === true ? "cut-off" : "ended";
  return facts?.state === "serving" && facts.role === "replica" ? "ended" : undefined;
}

/** The replica with the highest offset among those that serve and have held the data; one promoted already wins. */
function heirOf(shard: ShardRecord, instances: ReadonlyMap<number, InstanceFacts>): InstanceRecord | undefined {
  const offset = ({ id }: InstanceRecord): number => instances.get(id)?.offset ?? -1;
  const promoted = ({ id }: InstanceRecord): number => (instances.get(id)?.role === "primary" ? 1 : 0);
  return replicasOf(shard)
    .filter(({ id }) => instances.get(id)?.state === "serving" && instances.get(id)?.hasData === true)
    .toSorted((a, b) => promoted(b) - promoted(a) || offset(b) - offset(a) || a.id - b.id)[0];
}

/** Its node has not yet used the newest permission to start it as primary. */
function mayStillStart(primary: InstanceRecord, facts: InstanceFacts): boolean {
  return facts.usedLaunch !== undefined && facts.usedLaunch < primary.launch;
}
