import type { InstanceRecord, ShardRecord } from "../../api/records.ts";
import { AWAITS_SITES, stepBehindGate } from "./site-gate.ts";
import { replicasOf } from "./facts.ts";
import { behindText } from "./in-sync.ts";
import type { DatabaseFacts } from "./facts.ts";
import { evacuationStep } from "./evacuation.ts";
import { goesOnAsFailover, primaryStep } from "./failover.ts";
import { replacementStep } from "./replacement.ts";
import { missingReplicaStep, surplusStep, upgradeStep } from "./replicas.ts";
import { act, findingBehind, REST, type Rest, type Step, type WaitStep } from "../findings/step.ts";
import { waitBecause, type LeaderAct, type LeaderProposal } from "./step.ts";
import { replicaWithoutPort } from "./shared-port.ts";
import { unsafeReplies } from "./sync-set.ts";
import { beginStep, copyStep, isCopying, unfinishedTable } from "./reshape.ts";
import { orderTurns, type Turn } from "./turn.ts";
import { type ShardWait, upgradedShards, waitsText } from "./waits-of-shards.ts";

type Rule = (facts: DatabaseFacts, shard: ShardRecord) => LeaderProposal | undefined;

/** In order of urgency: data first, then what was asked for, then tidiness. */
const RULES: readonly Rule[] = [
  unfinishedSwitchover,
  primaryStep,
  primaryIsBack,
  strayReplica,
  replicaWithoutPort,
  evacuationStep,
  replacementStep,
  upgradeStep,
  missingReplicaStep,
  surplusStep,
  replicaThatCatchesUp,
  configurationOnItsWay,
];

/** Changes that are planned wait: the new shards are made as they ask for, or replaced once they serve. */
const WHILE_COPYING: readonly Rule[] = RULES.filter(
  (rule) => rule !== evacuationStep && rule !== replacementStep && rule !== upgradeStep,
);

/** Decides from facts alone, so that any leader decides the same: the most urgent act of all shards. */
export function decideDatabase(facts: DatabaseFacts): Step<LeaderAct> {
  const step = stepBehindGate(facts, mostUrgent(facts));
  // no data hangs on passwords, so they delay nothing; and what is waited for may never come
  if (step.kind !== "wait" && step.kind !== "rest") return act(step, WHY[step.kind]);
  const ofPasswords = passwordAct(facts);
  return ofPasswords === undefined ? withRotation(facts, step) : act(ofPasswords, WHY[ofPasswords.kind]);
}

/** For the log. */
const WHY: Readonly<Record<LeaderAct["kind"], string>> = {
  "resume-switchover": "a switchover has begun",
  "fail-over": "the primary does not serve, and another copy is there",
  relaunch: "the primary has the copy that counts",
  "start-empty": "nothing is left that the primary could start from",
  "await-sites": "clients wait for the data of the other sites",
  "ask-consent": "a user decides about data that is gone",
  recovered: "the primary serves again",
  "creation-failed": "the engine ends again and again before it serves",
  "add-replica": "a replica is missing where it is to be",
  retire: "there is an instance more than there shall be",
  verify: "clients do not move before the content is compared",
  "switch-over": "another instance shall be the primary",
  "end-script": "a move has waited for the script for long enough",
  reattach: "the replica follows another engine",
  "end-overlap": "the time of a former password is over",
  "make-internal-password": "engines have no password of the cluster",
  "close-engines": "every node and engine knows the password of the cluster",
  "rotate-engine-password": "the password of the cluster was replaced",
  "begin-reshape": "another number of shards is asked for",
  "begin-copy": "what was copied is worth nothing",
  "withdraw-reshape": "the new shards cannot be, or are not asked for any more",
  "switch-table": "the new shards have all that the former ones have",
  "resume-table": "a switch to other shards has begun",
  "retire-shards": "the new shards serve, and nothing needs the former ones",
  "finish-upgrade": "every instance is as the upgrade asks",
  activate: "what was asked for is there",
};

function passwordAct({ overlapIsOver, engineLogin, rotation }: DatabaseFacts): LeaderAct | undefined {
  if (overlapIsOver) return { kind: "end-overlap" };
  if (engineLogin === "clients") return { kind: "make-internal-password" };
  if (engineLogin === "closable") return { kind: "close-engines" };
  if (rotation === undefined || rotation.behind.length > 0) return undefined;
  const { act: due, since, step } = rotation;
  return { kind: "rotate-engine-password", due: { act: due, since, step } };
}

/** Tells users of a rotation that waits: it may wait for a node that is away. */
function withRotation({ rotation }: DatabaseFacts, step: WaitStep | Rest): WaitStep | Rest {
  if (rotation === undefined) return step;
  const why = `another password at its engines waits for ${rotation.behind.join(", ")}`;
  return step.kind === "rest" ? waitBecause(why) : saidTogether([step.wait.evidence, why], step);
}

/** What a shard needs next. */
interface Proposal extends Turn {
  readonly step: LeaderProposal;
}

/** Rule by rule over all shards: an act that nothing comes before ends the search, as there may be hundreds of shards. */
function mostUrgent(facts: DatabaseFacts): LeaderProposal | Rest {
  const unfinished = unfinishedTable(facts);
  if (unfinished !== undefined) return unfinished;
  const rules = isCopying(facts.record) ? WHILE_COPYING : RULES;
  const acts: Proposal[] = [];
  const waits: ShardWait[] = [];
  let undecided = facts.record.shards;
  for (const [rule, propose] of rules.entries()) {
    const left: ShardRecord[] = [];
    for (const shard of undecided) {
      const step = propose(facts, shard);
      if (step === undefined) left.push(shard);
      else if (step.kind === "wait") waits.push({ shard: shard.id, reason: step.wait.evidence });
      else {
        const [underWay, pausing] = [isUnderWay(facts, step), isPausing(facts, step)];
        if (!underWay && !pausing && facts.failed?.has(shard.id) !== true) return step;
        acts.push({ step, rule, shard: shard.id, isUnderWay: underWay, isPausing: pausing });
      }
    }
    undecided = left;
  }
  const [first] = orderTurns(acts, facts.failed);
  return first?.step ?? whileNothingIsDue(facts, waits);
}

function isUnderWay({ comparing }: DatabaseFacts, step: LeaderProposal): boolean {
  return step.kind === "verify" && comparing?.has(step.replica) === true;
}

function isPausing({ pausing = [] }: DatabaseFacts, step: LeaderAct): boolean {
  return pausing.some(({ kind, shard }) => kind === step.kind && "shard" in step && shard === step.shard);
}

/** A shard that waits delays no act for another shard. */
function whileNothingIsDue(facts: DatabaseFacts, waits: readonly ShardWait[]): LeaderProposal | Rest {
  const copying = copyStep(facts);
  if (waits.length === 0) return copying ?? stepOfAll(facts);
  // shards wait for nothing that the new ones need
  if (copying !== undefined && copying.kind !== "wait") return copying;
  const inOrder = waits.toSorted((one, other) => one.shard - other.shard);
  const [progress, reasons] = [upgradedShards(facts.record), waitsText(facts.record, inOrder)];
  const all = [progress, copying?.wait.evidence, reasons].filter((one) => one !== undefined);
  return saidTogether(all, copying);
}

/** One wait for all of these reasons; what a user has to end stays known. */
function saidTogether(reasons: readonly string[], step: WaitStep | undefined): WaitStep {
  const [wait, cause] = [waitBecause(reasons.join("; ")), step === undefined ? undefined : findingBehind(step)];
  return cause === undefined ? wait : { ...wait, cause };
}

/** What is left when no shard needs anything. */
function stepOfAll(facts: DatabaseFacts): LeaderProposal | Rest {
  const { record } = facts;
  if (record.upgrade !== undefined) return { kind: "finish-upgrade" };
  const begin = beginStep(facts);
  if (begin !== undefined) return begin;
  if (record.status !== "active") return { kind: "activate" };
  const unsafe = record.shards.flatMap((shard) => {
    const reason = unsafeReplies(record, shard);
    return reason === undefined ? [] : [{ shard: shard.id, reason }];
  });
  const reasons = [waitsText(record, unsafe), record.awaitsSites === true ? AWAITS_SITES : ""];
  const reason = reasons.filter((one) => one !== "").join("; ");
  return reason === "" ? REST : waitBecause(reason);
}

function unfinishedSwitchover(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  if (shard.switchover === undefined) return undefined;
  return goesOnAsFailover(facts, shard) ?? { kind: "resume-switchover", shard: shard.id };
}

/** The shard in recovery has its primary back: the rule before has found that the primary serves. */
function primaryIsBack(_facts: DatabaseFacts, { id, recovery }: ShardRecord): LeaderProposal | undefined {
  return recovery === undefined ? undefined : { kind: "recovered", shard: id };
}

function strayReplica({ instances }: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const stray = replicasOf(shard).find(({ id }) => instances.get(id)?.follows === "another");
  return stray === undefined ? undefined : { kind: "reattach", shard: shard.id, replica: stray.id };
}

function replicaThatCatchesUp(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const behind = replicasOf(shard)
    .map((replica) => behindText(facts, shard, replica))
    .find((reason) => reason !== undefined);
  if (behind === undefined) return undefined;
  const reasons = [behind, unsafeReplies(facts.record, shard)];
  return waitBecause(reasons.filter((reason) => reason !== undefined).join("; "));
}

function configurationOnItsWay({ record, instances }: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  if (record.status === "active") return undefined;
  const late = shard.instances.find(({ id }) => instances.get(id)?.configured !== true);
  return late === undefined ? undefined : waitBecause(lateText(late));
}

function lateText(instance: InstanceRecord): string {
  return `the engine on node ${instance.node} has not taken the new settings yet`;
}
