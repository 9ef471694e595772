import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { FINALIZERS, type StoreEnterpriseCluster } from "../../api/kinds.ts";
import type { ClusterSpec } from "../../api/cluster-spec.ts";
import type { Finding } from "../../api/parts.ts";
import type { ClusterStatus, UserModuleStatus } from "../../api/cluster-status.ts";
import type { EventRecorder } from "../../kube/events.ts";
import type { Kube, Stored } from "../../kube/kube.ts";
import { changeObject } from "../../kube/records.ts";
import { refOf, refOfKey } from "../../kube/ref.ts";
import { observeCluster, readClusterSpec, type ClusterObservation, type ObserveDeps } from "../../observe/cluster.ts";
import { Clusters } from "../../observe/kinds.ts";
import { announcements, findingNews } from "../../planner/cluster/announcements.ts";
import { blocked, type Statement } from "../../planner/cluster/conditions.ts";
import { planCluster, type ClusterDecision } from "../../planner/cluster/plan.ts";
import { targetTag } from "../../planner/cluster/target.ts";
import { PERMISSIONS_MISSING } from "../../planner/prerequisites/permissions.ts";
import type { Keeper } from "../../reconcile/keeper.ts";
import { settled, waiting, type Outcome } from "../../reconcile/outcome.ts";
import { holdBack } from "../finalizer.ts";
import { forbiddenFinding } from "../forbidden.ts";
import type { KeepUserModules } from "./user-modules.ts";
import { perform } from "./acts.ts";
import { keepLicense } from "./license.ts";
import { removeCluster } from "./removal.ts";
import { nextStatus, stamped } from "./status.ts";
import { ownedObjects } from "../objects/owned.ts";
import { keepSecrets } from "../objects/secrets.ts";
import { wantedTemplate } from "../objects/stateful-set.ts";

export interface ClusterDeps extends ObserveDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly keeper: Keeper;
  /** What is known of the admission webhook; undefined while nothing is. */
  readonly admission: () => Statement | undefined;
  readonly userModules: KeepUserModules;
}

/** A cluster at rest is looked at this often, one on its way that often, in milliseconds. */
const REST_MS = 5_000;
const STEP_MS = 300;
/** And one that waits for permissions that often. */
const FORBIDDEN_MS = 1_000;

/** One pass over a StoreEnterpriseCluster: observe, decide, act at most once, report. */
export function clusterReconciler(deps: ClusterDeps): (key: string) => Promise<Outcome> {
  return async (key) => {
    const rec = await deps.kube.get(Clusters, refOfKey(key));
    if (rec === undefined) return settled;
    const spec = readClusterSpec(rec);
    if (typeof spec === "string") return reportUnreadable(deps, rec, spec);
    try {
      return await pass(deps, rec, spec);
    } catch (error) {
      const finding = await forbiddenFinding(deps, rec.metadata.namespace ?? "default", error);
      if (finding === undefined) throw error;
      return reportForbidden(deps, rec, finding);
    }
  };
}

async function pass(deps: ClusterDeps, rec: Stored<StoreEnterpriseCluster>, spec: ClusterSpec): Promise<Outcome> {
  const observation = await observeCluster(deps, rec, spec);
  const { view, around, namespace } = observation;
  const planned = planCluster(view, wantedTemplate(observation, targetTag(view)), around);
  if (view.deleting) return removeCluster(deps, observation);
  const { failure, objection, userModules } = await act(deps, observation, planned);
  const decision = objection === undefined ? planned : { ...planned, findings: [...planned.findings, objection] };
  if (failure === undefined) {
    await report(deps, observation, decision, userModules);
    return outcomeOf(decision);
  }
  const forbidden = await forbiddenFinding(deps, namespace, failure);
  await report(deps, observation, failedDecision(decision, failure, forbidden));
  if (forbidden !== undefined) return waiting(FORBIDDEN_MS, forbidden.id, forbidden.evidence);
  deps.events.record(rec, "Warning", "StepFailed", messageOf(failure));
  throw failure;
}

interface Acted {
  /** What went wrong. */
  readonly failure?: Error;
  /** What the cluster has against a part of the spec. */
  readonly objection?: Finding | undefined;
  /** What became of the modules that the spec lists. */
  readonly userModules?: readonly UserModuleStatus[];
}

async function act(deps: ClusterDeps, observation: ClusterObservation, decision: ClusterDecision): Promise<Acted> {
  try {
    await holdBack(deps.kube, Clusters, observation.rec, FINALIZERS.cluster);
    await keepSecrets(deps, observation);
    if (decision.ownsObjects) await deps.keeper.keep(ownedObjects(observation), lacksGrants(observation));
    if (decision.step.kind === "act") {
      deps.log.info("performing a step", {
        cluster: observation.view.name,
        act: decision.step.act,
        why: decision.step.why,
      });
      await perform(deps, observation, decision.step.act, decision.target);
    }
    return {
      objection: await keepLicense(deps.kube, observation),
      userModules: await deps.userModules(observation),
    };
  } catch (error) {
    // reported in the status first, thrown after that
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Somebody took from nodes or rigger what they were granted. */
function lacksGrants({ around: { permissions } }: ClusterObservation): boolean {
  return permissions?.read === true && permissions.value.some(({ who }) => who !== "operator");
}

function failedDecision(decision: ClusterDecision, failure: Error, forbidden: Finding | undefined): ClusterDecision {
  if (forbidden === undefined) {
    return { ...decision, step: { kind: "wait", reason: "StepFailed", message: messageOf(failure) } };
  }
  const others = decision.findings.filter(({ id }) => id !== forbidden.id);
  const step = { kind: "wait", reason: forbidden.id, message: forbidden.evidence } as const;
  return { ...decision, step, findings: [forbidden, ...others] };
}

async function report(
  deps: ClusterDeps,
  observation: ClusterObservation,
  decision: ClusterDecision,
  userModules: readonly UserModuleStatus[] = observation.view.remembered.userModules ?? [],
): Promise<void> {
  const { rec, view } = observation;
  const next = nextStatus(observation, decision, deps.admission(), deps.clock.now());
  const status = userModules.length === 0 ? withoutUserModules(next) : { ...next, userModules: [...userModules] };
  await writeStatus(deps.kube, rec, status);
  for (const { type, reason, message } of announcements(view, view.remembered, status)) {
    deps.events.record(rec, type, reason, message);
  }
}

function withoutUserModules({ userModules: _dropped, ...status }: ClusterStatus): ClusterStatus {
  return status;
}

/** Writes nothing when nothing differs. */
async function writeStatus(kube: Kube, rec: Stored<StoreEnterpriseCluster>, status: ClusterStatus): Promise<void> {
  const plain: ClusterStatus = JSON.parse(JSON.stringify(status)); // without members that are undefined
  if (isDeepStrictEqual(rec.status, plain)) return;
  await changeObject(kube, Clusters, refOf(rec), (current) => ({ ...current, status: plain }), STATUS);
}

const STATUS = { subresource: "status" } as const;

/** The cluster cannot even be looked at: all that is known is why. */
async function reportForbidden(
  deps: ClusterDeps,
  rec: Stored<StoreEnterpriseCluster>,
  finding: Finding,
): Promise<Outcome> {
  const before = rec.status ?? {};
  const findings = [finding];
  const status = { ...before, findings, conditions: stamped(before.conditions, [blocked(findings)], deps.clock.now()) };
  await writeStatus(deps.kube, rec, status);
  for (const { type, reason, message } of findingNews(before, status)) deps.events.record(rec, type, reason, message);
  return waiting(FORBIDDEN_MS, finding.id, finding.evidence);
}

async function reportUnreadable(
  deps: ClusterDeps,
  rec: Stored<StoreEnterpriseCluster>,
  message: string,
): Promise<Outcome> {
  const statement = { type: "UpgradeBlocked", status: "True", reason: "SpecInvalid", message } as const;
  const status: ClusterStatus = {
    ...rec.status,
    state: "Invalid",
    specStatus: "Invalid",
    observedGeneration: rec.metadata.generation ?? 0,
    conditions: stamped(rec.status?.conditions, [statement], deps.clock.now()),
  };
  await writeStatus(deps.kube, rec, status);
  if (rec.status?.state !== "Invalid") deps.events.record(rec, "Warning", "SpecInvalid", message);
  return settled;
}

function outcomeOf({ step, state, findings }: ClusterDecision): Outcome {
  const lacking = findings.find(({ id }) => id === PERMISSIONS_MISSING);
  if (lacking !== undefined && step.kind !== "act") return waiting(FORBIDDEN_MS, lacking.id, lacking.evidence);
  switch (step.kind) {
    case "act":
      return waiting(1, "Stepping", step.why);
    case "wait":
      return waiting(step.finding === undefined ? STEP_MS : STEP_MS * 3, step.reason, step.message);
    case "done":
      return waiting(REST_MS, "Resting", `the cluster is ${state}`);
  }
}
