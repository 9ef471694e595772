import { rolloutStatus } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import type { ClusterState, SpecStatus } from "../../api/states.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { ownStep, suspendedStep } from "./own-step.ts";
import { recoveryStep } from "./recovery.ts";
import { pause } from "../findings/finding.ts";
import { act, findingBehind, waitFor, waitUnasked } from "../findings/step.ts";
import type { RollStep } from "./step.ts";
import { clusterState, isComplete, wasRunning } from "./state.ts";
import {
  isVersionAsked,
  madeFrom,
  newerRelease,
  targetTag,
  versionChange,
  type VersionChange,
} from "../view/target.ts";
import type { ClusterView, Workload } from "../view/cluster-view.ts";
import { removeFinalizers } from "../view/overdue.ts";
import { upgradeRemedy } from "./upgrade-remedy.ts";
import { findingsAt, firstUnreadAt } from "../prerequisites/run.ts";
import { checkInput, type CheckInput } from "../prerequisites/check-input.ts";
import type { ClusterEnvironment } from "../prerequisites/environment.ts";

/** Management of databases, and of what a cluster upgrade does not need, is suspended (§1 rules 1 and 2). */
export type Suspension = Finding & { readonly id: "OperatorUpgraded" | "OperatorDowngraded" | "RollInProgress" };

/** The environment of a cluster, and the findings that block each write for it because a name belongs to another owner. */
export interface ClusterAround extends ClusterEnvironment {
  readonly foreign?: readonly Finding[];
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
  const { foreign = [], ...environment } = around;
  const input = checkInput(view, { environment });
  const specFindings = [...findingsAt("spec", input), ...foreign];
  const editFindings = findingsAt("edit", input);
  const startFindings = findingsAt("start", input);
  const writeFindings = findingsAt("write", input);
  const objecting = [...editFindings, ...startFindings].filter(isBlocking);
  const blocking = [...writeFindings.filter(isBlocking), ...objecting];
  const change = versionChange(view);
  const isUnderWay = isUnfinished(view);
  const isUnblocked = specFindings.length === 0 && blocking.length === 0 && !view.deleting;
  const leftSuspension = leftBehind(view);
  const unsure = isUnblocked ? unsureStep(input) : undefined;
  const ownsObjects = isUnblocked && unsure === undefined && (change !== undefined || leftSuspension === undefined);
  const writeWait = writeFindings.find(({ severity }) => severity === "wait");
  // what brings nodes and databases back waits for nothing but the permission to act
  const ordinary = (): RollStep =>
    ownsObjects && writeWait === undefined
      ? ownStep(view, wanted, change, environment)
      : heldStep(suspendedStep(view, wanted, !ownsObjects && isUnblocked), writeWait);
  const step = recoveryStep(view) ?? workloadStep(view, foreign) ?? orUnsure(ordinary(), unsure);
  const upgrading = isUnblocked && view.workload !== undefined && (change !== undefined || isUnderWay);
  const rolling = upgrading ? "version" : ownsObjects && rollsTemplate(view, wanted) ? "template" : undefined;
  const objection = writeWait ?? findingBehind(step);
  const mild = [...editFindings, ...startFindings].filter((one) => isMild(one) && one.id !== objection?.id);
  // a missing permission is no fault of a cluster without a requested change
  const upgradeBlocked = objecting.length > 0 || (blocking.length > 0 && change !== undefined);
  return {
    state: clusterState(view, { specInvalid: specFindings.length > 0, upgradeBlocked, rolling }),
    specStatus: specFindings.length === 0 ? "Valid" : "Invalid",
    targetTag: targetTag(view),
    step,
    findings: [...new Set([...specFindings, ...blocking, ...(objection ? [objection] : []), ...mild])],
    suspension: upgrading ? rollInProgress(view) : leftSuspension,
    change,
    upgrading,
    ownsObjects,
  };
}

/**
 * Makes a missing StatefulSet again before anything else, because without it the pods would not be kept: it is gone between two steps of
 * resizing the volumes, or a user has deleted it alone. Its pods stay. A spec that names what belongs to another owner waits: a pod that is made
 * again would get it.
 */
function workloadStep(
  { name, workload, deleting, spec }: ClusterView,
  [foreign]: readonly Finding[],
): RollStep | undefined {
  if (workload === undefined || deleting || workload.presence === "there") return undefined;
  if (workload.presence === "leaving") {
    const message = "the StatefulSet is deleted without its pods, and is then made again";
    return waitUnasked("StatefulSetLeaving", `${message}${keptBy(name, workload)}`);
  }
  if (foreign !== undefined) return waitFor(foreign);
  const { nodeTag: tag, replicas: partition } = workload;
  const { enabled, volumeSize } = spec.persistentSpec;
  const volumes = enabled ? ` with volumes of ${volumeSize}` : "";
  const why = `the StatefulSet is gone and is made again${volumes}; its pods stay`;
  return act({ kind: "restore-workload", tag, partition }, why);
}

/** Names the finalizers that keep the StatefulSet, which others may never remove. */
function keptBy(name: string, { finalizers = [] }: Workload): string {
  if (finalizers.length === 0) return "";
  return `; finalizers keep it: ${finalizers.join(", ")}; when nothing removes them: ${removeFinalizers("sts", name)}`;
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

/** The upgrade has not ended: the last replaced node is not back yet, though no pod is made from the old tag any more. */
function isUnfinished(view: ClusterView): boolean {
  const { upgrade } = view.remembered;
  const isOn = upgrade !== undefined && upgrade.finishedAt === undefined && upgrade.to === targetTag(view);
  return isOn && !isComplete(view);
}

/**
 * Pods are to be replaced by another template. Without its StatefulSet no pod is: the template is compared once it is written again. A
 * StatefulSet that was just made has no revision yet.
 */
function rollsTemplate(view: ClusterView, wanted: string): boolean {
  const { workload } = view;
  if (workload?.presence !== "there" || !wasRunning(view)) return false;
  const { template, updateRevision } = workload;
  return (
    template !== wanted || (updateRevision !== "" && view.pods.some(({ revision }) => revision !== updateRevision))
  );
}

/** The suspension of a cluster that is of another release than the operator; undefined when it is of the same. */
function leftBehind(view: ClusterView): Suspension | undefined {
  const { workload, release: operator } = view;
  if (workload === undefined) return undefined;
  const other = madeFrom(view).find((tag) => releaseByNodeTag(tag)?.operator !== operator.operator);
  if (other === undefined) return undefined;
  const said = `the operator is ${operator.operator} and the cluster runs ${other}`;
  const newer = newerRelease(view);
  if (newer !== undefined)
    return pause("OperatorDowngraded", `${said}; apply the bundle of release ${newer.operator} again`);
  return pause("OperatorUpgraded", `${said}; ${upgradeRemedy(view)}`);
}

function rollInProgress({ name }: ClusterView): Suspension {
  return pause("RollInProgress", `the nodes are being replaced; watch: ${rolloutStatus(name)}`);
}
