import type { InstanceRecord, ShardRecord, StoreVersion } from "../../api/records.ts";
import { inSync, replicasOf, syncStory } from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { upgradeStep } from "./upgrade.ts";
import { evacuationStep } from "./evacuation.ts";
import { primaryStep } from "./failover.ts";
import { standInStep } from "./stand-in.ts";
import { missingReplicaStep, surplusStep } from "./replicas.ts";

/** The one thing the leader does next for a database; it observes again after each. */
export type DatabaseStep =
  /** A switchover had begun: finish it or take it back, by asking its target. */
  | { readonly kind: "resume-switchover"; readonly shard: number }
  | { readonly kind: "fail-over"; readonly shard: number; readonly to: number }
  /** Allow one more start as primary of the instance that holds the only copy. */
  | { readonly kind: "relaunch"; readonly shard: number; readonly instance: number }
  | {
      readonly kind: "add-replica";
      readonly shard: number;
      readonly node: number;
      readonly port: number;
      readonly storeVersion: StoreVersion;
    }
  | { readonly kind: "retire"; readonly shard: number; readonly instance: number }
  /** Compare the content of a replica with its primary's. */
  | { readonly kind: "verify"; readonly shard: number; readonly replica: number }
  | { readonly kind: "switch-over"; readonly shard: number; readonly to: number }
  /** Point a replica that follows somebody else at the primary. */
  | { readonly kind: "reattach"; readonly shard: number; readonly replica: number }
  | { readonly kind: "finish-upgrade" }
  /** What was asked for is there: the database becomes active. */
  | { readonly kind: "activate" }
  | { readonly kind: "wait"; readonly reason: string }
  | { readonly kind: "rest" };

type Rule = (facts: DatabaseFacts, shard: ShardRecord) => DatabaseStep | undefined;

/** In order of urgency: data first, then what was asked for, then tidiness. */
const RULES: readonly Rule[] = [
  unfinishedSwitchover,
  primaryStep,
  strayReplica,
  evacuationStep,
  standInStep,
  upgradeStep,
  missingReplicaStep,
  surplusStep,
  replicaThatCatchesUp,
  configurationOnItsWay,
];

/** Decides from facts alone, so that any leader decides the same: the first rule of the first shard that has something to do. */
export function decideDatabase(facts: DatabaseFacts): DatabaseStep {
  for (const shard of facts.record.shards) {
    for (const rule of RULES) {
      const step = rule(facts, shard);
      if (step !== undefined) return step;
    }
  }
  if (facts.record.upgrade !== undefined) return { kind: "finish-upgrade" };
  return facts.record.status === "active" ? { kind: "rest" } : { kind: "activate" };
}

function unfinishedSwitchover(_facts: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  return shard.switchover === undefined ? undefined : { kind: "resume-switchover", shard: shard.id };
}

function strayReplica({ instances }: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  const stray = replicasOf(shard).find(({ id }) => instances.get(id)?.follows === "another");
  return stray === undefined ? undefined : { kind: "reattach", shard: shard.id, replica: stray.id };
}

function replicaThatCatchesUp({ instances }: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  const behind = replicasOf(shard).find(({ id }) => !inSync(instances.get(id)));
  return behind === undefined ? undefined : { kind: "wait", reason: syncStory(behind, instances.get(behind.id)) };
}

function configurationOnItsWay({ record, instances }: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  if (record.status === "active") return undefined;
  const late = shard.instances.find(({ id }) => instances.get(id)?.configured !== true);
  return late === undefined ? undefined : { kind: "wait", reason: lateStory(late) };
}

function lateStory(instance: InstanceRecord): string {
  return `the engine on node ${instance.node} has not taken the new settings yet`;
}
