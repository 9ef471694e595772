import type { InstanceRecord, ShardRecord } from "../../api/records.ts";
import { AWAITS_SITES, stepBehindGate } from "./site-gate.ts";
import { replicasOf } from "./facts.ts";
import { behindText } from "./in-sync.ts";
import type { DatabaseFacts } from "./facts.ts";
import { upgradeStep } from "./upgrade.ts";
import { evacuationStep } from "./evacuation.ts";
import { primaryStep } from "./failover.ts";
import { replacementStep } from "./replacement.ts";
import { missingReplicaStep, surplusStep } from "./replicas.ts";
import type { DatabaseStep } from "./step.ts";
import { unsafeReplies } from "./sync-set.ts";
import { orderTurns, type Turn } from "./turn.ts";

type Rule = (facts: DatabaseFacts, shard: ShardRecord) => DatabaseStep | undefined;

/** In order of urgency: data first, then what was asked for, then tidiness. */
const RULES: readonly Rule[] = [
  unfinishedSwitchover,
  primaryStep,
  primaryIsBack,
  strayReplica,
  evacuationStep,
  replacementStep,
  upgradeStep,
  missingReplicaStep,
  surplusStep,
  replicaThatCatchesUp,
  configurationOnItsWay,
];

/** Decides from facts alone, so that any leader decides the same: the most urgent act of all shards. */
export function decideDatabase(facts: DatabaseFacts): DatabaseStep {
  const step = stepBehindGate(facts, mostUrgent(facts));
  // no data hangs on passwords, so they delay nothing; and what is waited for may never come
  if (step.kind !== "wait" && step.kind !== "rest") return step;
  return passwordStep(facts) ?? withRotation(facts, step);
}

function passwordStep({ overlapIsOver, engineLogin, rotation }: DatabaseFacts): DatabaseStep | undefined {
  if (overlapIsOver) return { kind: "end-overlap" };
  if (engineLogin === "clients") return { kind: "make-internal-password" };
  if (engineLogin === "closable") return { kind: "close-engines" };
  if (rotation === undefined || rotation.behind.length > 0) return undefined;
  const { act, since, step } = rotation;
  return { kind: "rotate-engine-password", due: { act, since, step } };
}

/** It may wait for a node that is away: users are to know. */
function withRotation({ rotation }: DatabaseFacts, step: Extract<DatabaseStep, { kind: "wait" | "rest" }>) {
  if (rotation === undefined) return step;
  const why = `another password at its engines waits for ${rotation.behind.join(", ")}`;
  return { kind: "wait", reason: step.kind === "rest" ? why : `${step.reason}; ${why}` } as const;
}

/** What a shard needs next. */
interface Proposal extends Turn {
  readonly step: DatabaseStep;
}

function mostUrgent(facts: DatabaseFacts): DatabaseStep {
  const proposals = facts.record.shards.map((shard) => proposalOf(facts, shard)).filter((one) => one !== undefined);
  // a wait of one shard keeps no other from what it needs
  const acts = proposals.filter(({ step }) => step.kind !== "wait");
  const [act] = orderTurns(acts, facts.failed);
  if (act !== undefined) return act.step;
  const waits = new Set(proposals.map(({ step }) => (step.kind === "wait" ? step.reason : "")));
  return waits.size > 0 ? { kind: "wait", reason: [...waits].join("; ") } : stepOfAll(facts);
}

/** The first rule that has something to do for this shard. */
function proposalOf(facts: DatabaseFacts, shard: ShardRecord): Proposal | undefined {
  for (const [rule, propose] of RULES.entries()) {
    const step = propose(facts, shard);
    if (step === undefined) continue;
    const isUnderWay = step.kind === "verify" && facts.comparing?.has(step.replica) === true;
    return { step, rule, shard: shard.id, isUnderWay };
  }
  return undefined;
}

/** What is left when no shard needs anything. */
function stepOfAll({ record }: DatabaseFacts): DatabaseStep {
  if (record.upgrade !== undefined) return { kind: "finish-upgrade" };
  if (record.status !== "active") return { kind: "activate" };
  const unsafe = record.shards.map((shard) => unsafeReplies(record, shard));
  const reasons = [...unsafe, record.awaitsSites === true ? AWAITS_SITES : undefined];
  const reason = reasons.filter((one) => one !== undefined).join("; ");
  return reason === "" ? { kind: "rest" } : { kind: "wait", reason };
}

function unfinishedSwitchover(_facts: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  return shard.switchover === undefined ? undefined : { kind: "resume-switchover", shard: shard.id };
}

/** Its primary serves, as the rule before has found. */
function primaryIsBack(_facts: DatabaseFacts, { id, recovery }: ShardRecord): DatabaseStep | undefined {
  return recovery === undefined ? undefined : { kind: "recovered", shard: id };
}

function strayReplica({ instances }: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  const stray = replicasOf(shard).find(({ id }) => instances.get(id)?.follows === "another");
  return stray === undefined ? undefined : { kind: "reattach", shard: shard.id, replica: stray.id };
}

function replicaThatCatchesUp(facts: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  const behind = replicasOf(shard)
    .map((replica) => behindText(facts, shard, replica))
    .find((reason) => reason !== undefined);
  if (behind === undefined) return undefined;
  const reasons = [behind, unsafeReplies(facts.record, shard)];
  return { kind: "wait", reason: reasons.filter((reason) => reason !== undefined).join("; ") };
}

function configurationOnItsWay({ record, instances }: DatabaseFacts, shard: ShardRecord): DatabaseStep | undefined {
  if (record.status === "active") return undefined;
  const late = shard.instances.find(({ id }) => instances.get(id)?.configured !== true);
  return late === undefined ? undefined : { kind: "wait", reason: lateText(late) };
}

function lateText(instance: InstanceRecord): string {
  return `the engine on node ${instance.node} has not taken the new settings yet`;
}
