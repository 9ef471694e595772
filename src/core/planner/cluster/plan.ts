import type { Finding } from "../../api/parts.ts";
import type { ClusterState, SpecStatus } from "../../api/states.ts";
import { act, findingBehind, REST, waitFor, waitUnasked } from "../findings/step.ts";
import { checkInput, type CheckInput } from "../prerequisites/check-input.ts";
import type { ClusterEnvironment } from "../prerequisites/environment.ts";
import { findingsAt, firstUnreadAt } from "../prerequisites/run.ts";
import type { ClusterView, Workload } from "../view/cluster-view.ts";
import { isAutoUpgrade, isVersionAsked, targetTag, versionChange, type VersionChange } from "../view/target.ts";
import { keptStep, restoredStep, rewriteStep, scaledStep, withoutRelease } from "./alterations.ts";
import { workloadStep } from "./missing-workload.ts";
import { abovePods, closedPartition } from "./partition.ts";
import { recoveryStep } from "./recovery.ts";
import { rollStep } from "./roll.ts";
import { serviceStep } from "./service.ts";
import { clusterState, isComplete, wasRunning } from "./state.ts";
import { holdPods, writeWorkload, type RollStep } from "./step.ts";
import { explainWait } from "./stuck-pod.ts";
import { leftBehind, rollInProgress, type Suspension } from "./suspension.ts";
import { volumeStep } from "./volumes.ts";

/** The environment of a cluster, and the findings that block each write for it because a name belongs to another owner. */
export interface ClusterAround extends ClusterEnvironment {
  readonly foreign?: readonly Finding[];
  /** What could not be kept before the act: nothing begins, no pod is replaced, and nodes that are out of service come back. */
  readonly unkept?: readonly Finding[];
}

/** What a pass over a cluster has decided. */
export interface ClusterDecision {
  readonly state: ClusterState;
  readonly specStatus: SpecStatus;
  /** Node tag that the cluster shall run. */
  readonly targetTag: string;
  readonly step: RollStep;
  /** All findings that object or warn, blocking ones first. */
  readonly findings: readonly Finding[];
  readonly suspension: Suspension | undefined;
  /** The change of version that is wanted or under way. */
  readonly change: VersionChange | undefined;
  /** The change is under way: nothing blocks it. */
  readonly upgrading: boolean;
  /** Objects that the cluster needs besides its nodes may be written: they fit this operator's release. */
  readonly ownsObjects: boolean;
}

/**
 * Decides from facts alone, so that an operator that starts in the middle decides the same. `wanted`: template hash.
 */
export function planCluster(view: ClusterView, wanted: string, around: ClusterAround = {}): ClusterDecision {
  const { foreign = [], unkept = [], ...environment } = around;
  const input = checkInput(view, { environment });
  const { specFindings, blocking, mild, waits, ...judged } = judge(input, foreign);
  const change = versionChange(view);
  const isUnblocked = judged.isPassed && !view.deleting;
  const leftSuspension = leftBehind(view);
  const unsure = isUnblocked ? unsureStep(input) : undefined;
  const ownsObjects = isUnblocked && unsure === undefined && (change !== undefined || leftSuspension === undefined);
  const unsaid = unkept.filter(({ id }) => !blocking.some((one) => one.id === id));
  const [writeWait] = [...waits, ...unsaid];
  // what brings nodes and databases back waits for nothing but the permission to act
  const ordinary = (): RollStep =>
    ownsObjects && writeWait === undefined
      ? ownStep(view, wanted, change, environment)
      : heldStep(suspendedStep(view, wanted, !ownsObjects && isUnblocked), writeWait);
  const step = recoveryStep(view) ?? workloadStep(view, foreign) ?? orUnsure(ordinary(), unsure);
  const upgrading = isUnblocked && isUpgrading(view, change);
  const objection = writeWait ?? findingBehind(step);
  const waited = [objection].filter((one) => one !== undefined);
  const warnings = mild.filter(({ id }) => id !== objection?.id);
  const rolling = upgrading ? "version" : templateRoll(view, wanted, ownsObjects);
  const upgradeBlocked = judged.isUpgradeBlocked(change);
  return {
    state: clusterState(view, { specInvalid: specFindings.length > 0, upgradeBlocked, rolling }),
    specStatus: specFindings.length === 0 ? "Valid" : "Invalid",
    targetTag: targetTag(view),
    step,
    findings: [...new Set([...specFindings, ...blocking, ...waited, ...unsaid, ...warnings])],
    suspension: upgrading ? rollInProgress(view) : leftSuspension,
    change,
    upgrading,
    ownsObjects,
  };
}

/** What the checks of each moment say. */
interface Judged {
  readonly specFindings: readonly Finding[];
  /** What blocks each change. */
  readonly blocking: readonly Finding[];
  readonly mild: readonly Finding[];
  /** What is waited for before anything is written. */
  readonly waits: readonly Finding[];
  /** No check blocks anything. */
  readonly isPassed: boolean;
  readonly isUpgradeBlocked: (change: VersionChange | undefined) => boolean;
}

function judge(input: CheckInput, foreign: readonly Finding[]): Judged {
  const ofUpgrade = [...findingsAt("edit", input), ...findingsAt("start", input)];
  const ofWrite = findingsAt("write", input);
  const objecting = ofUpgrade.filter(isBlocking);
  const blocking = [...ofWrite.filter(isBlocking), ...objecting];
  const specFindings = [...findingsAt("spec", input), ...foreign];
  return {
    specFindings,
    blocking,
    isPassed: specFindings.length === 0 && blocking.length === 0,
    mild: ofUpgrade.filter(isMild),
    waits: ofWrite.filter(({ severity }) => severity === "wait"),
    // a missing permission is no fault of a cluster without a requested change
    isUpgradeBlocked: (change) => objecting.length > 0 || (blocking.length > 0 && change !== undefined),
  };
}

/**
 * Waits before nodes or a roll begin while it is unknown whether the operator may go on with them, and before a roll while a fact for its checks
 * cannot be read; what has begun does not wait.
 */
function unsureStep(input: CheckInput): RollStep | undefined {
  const { view, environment } = input;
  const { permissions } = environment;
  const isAsked = isVersionAsked(view);
  if (permissions?.read === false && (view.workload === undefined || isAsked))
    return waitUnasked(
      "PermissionsUnknown",
      `the operator cannot ask what it may do, and asks again: ${permissions.why}`,
    );
  const unread = isAsked ? firstUnreadAt("start", input) : undefined;
  return unread && waitFor(unread);
}

function orUnsure(step: RollStep, unsure: RollStep | undefined): RollStep {
  return unsure !== undefined && step.kind === "rest" ? unsure : step;
}

/** Waits for `held` in place of a rest; the steps that keep nodes in service go on. */
function heldStep(step: RollStep, held: Finding | undefined): RollStep {
  if (held === undefined || step.kind !== "rest") return step;
  return waitFor(held);
}

function isBlocking({ severity }: Finding): boolean {
  return severity === "block";
}

function isMild({ severity }: Finding): boolean {
  return severity !== "block";
}

/** A change of version is wanted or under way, and there are nodes to change. */
function isUpgrading(view: ClusterView, change: VersionChange | undefined): boolean {
  return view.workload !== undefined && (change !== undefined || isUnfinished(view));
}

/** The upgrade has not ended: the last replaced node is not back yet, though no pod is made from the old tag any more. */
function isUnfinished(view: ClusterView): boolean {
  const { upgrade } = view.remembered;
  const isOn = upgrade !== undefined && upgrade.finishedAt === undefined && upgrade.to === targetTag(view);
  return isOn && !isComplete(view);
}

/**
 * Whether pods are to be replaced by another template. Without its StatefulSet no pod is: the template is compared once it is written again. A
 * StatefulSet that was just made has no revision yet.
 */
function templateRoll(view: ClusterView, wanted: string, ownsObjects: boolean): "template" | undefined {
  const { workload } = view;
  if (!ownsObjects || workload?.presence !== "there" || !wasRunning(view)) return undefined;
  const { template, updateRevision } = workload;
  const isOld = (revision: string | undefined): boolean => updateRevision !== "" && revision !== updateRevision;
  return template !== wanted || view.pods.some(({ revision }) => isOld(revision)) ? "template" : undefined;
}

/** The next step for a cluster that its operator may change. With automatic upgrade the tag is written first: the spec then says what the cluster becomes (§2.2). */
function ownStep(
  view: ClusterView,
  wanted: string,
  change: VersionChange | undefined,
  environment: ClusterEnvironment,
): RollStep {
  const { workload, spec } = view;
  const { versionTag } = spec.storeEnterpriseImageSpec ?? {};
  if (workload === undefined) return writeWorkload(spec.nodes, "the cluster has no nodes yet");
  // a cluster that never ran has nothing to keep available
  if (!wasRunning(view) && workload.template !== wanted) return writeWorkload(0, "the cluster has not begun yet");
  if (change !== undefined && isAutoUpgrade(spec) && versionTag !== targetTag(view)) {
    // databases may use modules that forbid automatic upgrade
    if (!view.cluster.reachable) return waitUnasked("ClusterUnreachable", view.cluster.reason);
    return act({ kind: "write-tag", nodeTag: targetTag(view) }, "automatic upgrade is on");
  }
  // a new template reaches nodes one by one: nodes that come back get the old one
  const scaled = workload.template === wanted ? undefined : scaledStep(view, workload);
  const next = (): RollStep =>
    volumeStep(view, workload, wanted, environment) ??
    growthStep(view, workload, wanted) ??
    explainWait(view, atRest(view, workload, rollStep(view, workload, wanted)));
  return scaled ?? rewriteStep(view, workload, wanted) ?? withoutRelease(view, workload, wanted, next());
}

/**
 * The next step while nothing of a cluster may be changed: its nodes stay in service, and none is replaced. `isAtRest`: there is no stopped roll
 * that goes on later.
 */
function suspendedStep(view: ClusterView, wanted: string, isAtRest: boolean): RollStep {
  const { workload, deleting } = view;
  if (workload === undefined || deleting) return REST;
  const scaled = isAtRest ? restoredStep(view, workload) : scaledStep(view, workload);
  return explainWait(
    view,
    scaled ?? keptStep(view, workload, wanted) ?? atRest(view, workload, serviceStep(view, workload, isAtRest)),
  );
}

/** Adds new nodes to the existing ones, and releases none of these for replacement. */
function growthStep({ spec, pods }: ClusterView, workload: Workload, wanted: string): RollStep | undefined {
  if (workload.replicas >= spec.nodes) return undefined;
  // another writer may have scaled it down: pods that are still there count
  const partition = workload.template === wanted ? closedPartition(pods, workload) : abovePods(pods, workload.replicas);
  return writeWorkload(partition, `the cluster grows to ${spec.nodes} nodes`);
}

/** Closes the partition between two rolls: then no pod is replaced without the operator, whatever others do to the template. */
function atRest({ pods }: ClusterView, workload: Workload, step: RollStep): RollStep {
  const closed = closedPartition(pods, workload);
  const isOpen = step.kind === "rest" && workload.observed && workload.partition < closed;
  return isOpen ? holdPods(closed, "nothing is left to be replaced") : step;
}
