import type { Finding } from "../../api/parts.ts";
import { sentenceOf } from "../findings/finding.ts";
import { readiness } from "../findings/readiness.ts";
import { findingBehind } from "../findings/step.ts";
import { conditionWords, type Statement } from "../findings/statement.ts";
import type { ClusterDecision } from "./plan.ts";
import { silence, wasRunning } from "./state.ts";
import type { ClusterView } from "../view/cluster-view.ts";

/**
 * What the status of a cluster says about a decision: Available, Progressing, UpgradeBlocked, ReconcileSuspended; and Ready,
 * Reconciling and Stalled for deploy tools.
 */
export function clusterConditions(view: ClusterView, decision: ClusterDecision): readonly Statement[] {
  const [serves, moves] = [available(view), progressingStatement(decision)];
  const isMoving = moves.status === "True" && !needsPerson(decision);
  const findings =
    isInvalid(decision) || decision.change !== undefined || needsPerson(decision) ? decision.findings : [];
  const ready = readiness(readyBy(serves, moves, decision), { isMoving, findings });
  const statements = [
    ...ready,
    serves,
    moves,
    upgradeBlockedStatement(decision.findings),
    suspendedStatement(decision),
  ];
  return statements.map((statement) => ({ ...statement, observedGeneration: view.generation }));
}

function isInvalid({ specStatus }: ClusterDecision): boolean {
  return specStatus === "Invalid";
}

/** The decision waits for a finding that ends only when a person acts. */
function needsPerson({ step }: ClusterDecision): boolean {
  const severity = findingBehind(step)?.severity;
  return severity === "block" || severity === "consent";
}

/** The condition Ready: the cluster is as its spec asks, so every node runs and serves at the version of the spec. */
function readyBy(serves: Statement, moves: Statement, decision: ClusterDecision): Statement {
  const blocking = decision.findings.find(({ severity }) => severity === "block");
  const isHeld = decision.change !== undefined || isInvalid(decision);
  if (moves.status === "False" && isHeld && blocking !== undefined)
    return { type: "Ready", status: "False", ...conditionWords(blocking) };
  const { status, reason, message } = moves.status === "True" ? { ...moves, status: "False" as const } : serves;
  return { type: "Ready", status, reason, message };
}

function available(view: ClusterView): Statement {
  const say = (status: "True" | "False", reason: string, message: string): Statement => ({
    type: "Available",
    status,
    reason,
    message,
  });
  if (view.workload === undefined) return say("False", "NotCreated", "the cluster has no nodes yet");
  if (!view.cluster.reachable) {
    const { reason, message } = silence(view, view.cluster);
    return say("False", reason, message);
  }
  const active = view.cluster.nodes.filter((node) => node.active).length;
  const wanted = view.workload.replicas;
  const nodes = `${active} of ${wanted} nodes are active`;
  if (active <= wanted / 2) return say("False", wasRunning(view) ? "QuorumLost" : "NodesStarting", nodes);
  const away = view.cluster.databases.filter(({ status }) => status === "creation-failed" || status === "recovery");
  if (away.length > 0) {
    return say("False", "DatabaseUnavailable", away.map(({ name, status }) => `"${name}" is ${status}`).join(", "));
  }
  return say("True", active === wanted ? "AllNodesActive" : "MajorityActive", nodes);
}

function progressingStatement({ step, findings, suspension }: ClusterDecision): Statement {
  switch (step.kind) {
    case "rest":
      return { type: "Progressing", status: "False", ...stillness(findings, suspension) };
    case "wait":
      return { type: "Progressing", status: "True", reason: step.wait.id, message: step.wait.evidence };
    case "act":
      return { type: "Progressing", status: "True", reason: REASON_OF_ACT[step.act.kind], message: step.why };
  }
}

/** Why nothing is done. */
function stillness(
  findings: ClusterDecision["findings"],
  suspension: ClusterDecision["suspension"],
): Pick<Statement, "reason" | "message"> {
  const blocking = findings.find(({ severity }) => severity === "block");
  if (blocking !== undefined)
    return { reason: "Blocked", message: `nothing moves until this is cleared: ${blocking.id}` };
  return suspension?.id === "OperatorUpgraded"
    ? { reason: "AwaitingUpgrade", message: "nothing moves until the cluster is upgraded to the operator's release" }
    : { reason: "Settled", message: "nothing is left to do" };
}

const REASON_OF_ACT = {
  gate: "SettingReadiness",
  evacuate: "EvacuatingNode",
  "take-back": "TakingNodeBack",
  "write-workload": "ReplacingPod",
  "hold-pods": "HoldingPods",
  "write-tag": "AutomaticUpgrade",
  "grow-volume": "VolumeResizing",
  "free-pods": "VolumeResizing",
  "restore-workload": "RestoringStatefulSet",
  "delete-pods": "DeletingLostPods",
  "recover-database": "RecoveringDatabase",
  "end-recovery": "RecoveryEnds",
} as const;

/** Whether something blocks an upgrade. */
export function upgradeBlockedStatement(findings: readonly Finding[]): Statement {
  const blocking = findings.filter(({ severity }) => severity === "block");
  const first = blocking[0];
  return first === undefined
    ? {
        type: "UpgradeBlocked",
        status: "False",
        reason: "NothingBlocks",
        message: "nothing blocks an upgrade",
      }
    : { type: "UpgradeBlocked", status: "True", reason: first.id, message: blocking.map(sentenceOf).join(" | ") };
}

function suspendedStatement({ suspension }: ClusterDecision): Statement {
  return suspension === undefined
    ? { type: "ReconcileSuspended", status: "False", reason: "Managed", message: "cluster and databases are managed" }
    : { type: "ReconcileSuspended", status: "True", reason: suspension.id, message: suspension.evidence };
}
