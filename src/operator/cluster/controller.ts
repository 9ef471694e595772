import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { FINALIZERS, type StoreEnterpriseCluster } from "../../api/kinds.ts";
import type { Finding } from "../../api/parts.ts";
import type { ClusterStatus } from "../../api/cluster-status.ts";
import type { EventRecorder } from "../../kube/events.ts";
import type { Kube, Stored } from "../../kube/kube.ts";
import { changeObject } from "../../kube/records.ts";
import { refOf, refOfKey } from "../../kube/ref.ts";
import { observeCluster, readClusterSpec, type ClusterObservation, type ObserveDeps } from "../../observe/cluster.ts";
import { Clusters } from "../../observe/kinds.ts";
import { announcements } from "../../planner/cluster/announcements.ts";
import { planCluster, type ClusterDecision } from "../../planner/cluster/plan.ts";
import { targetTag } from "../../planner/cluster/target.ts";
import type { Keeper } from "../../reconcile/keeper.ts";
import { settled, waiting, type Outcome } from "../../reconcile/outcome.ts";
import { holdBack } from "../finalizer.ts";
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
}

/** A cluster at rest is looked at this often, one on its way that often, in milliseconds. */
const REST_MS = 5_000;
const STEP_MS = 300;

/** One pass over a StoreEnterpriseCluster: observe, decide, act at most once, report. */
export function clusterReconciler(deps: ClusterDeps): (key: string) => Promise<Outcome> {
  return async (key) => {
    const rec = await deps.kube.get(Clusters, refOfKey(key));
    if (rec === undefined) return settled;
    const spec = readClusterSpec(rec);
    if (typeof spec === "string") return reportUnreadable(deps, rec, spec);
    const observation = await observeCluster(deps, rec, spec);
    const { view } = observation;
    const decision = planCluster(view, wantedTemplate(observation, targetTag(view)));
    if (view.deleting) return removeCluster(deps, observation);
    const { failure, objection } = await act(deps, observation, decision);
    const findings = objection === undefined ? decision.findings : [...decision.findings, objection];
    await report(deps, observation, {
      ...(failure === undefined ? decision : failedDecision(decision, failure)),
      findings,
    });
    if (failure !== undefined) {
      deps.events.record(rec, "Warning", "StepFailed", messageOf(failure));
      throw failure;
    }
    return outcomeOf(decision);
  };
}

interface Acted {
  /** What went wrong. */
  readonly failure?: Error;
  /** What the cluster has against a part of the spec. */
  readonly objection?: Finding | undefined;
}

async function act(deps: ClusterDeps, observation: ClusterObservation, decision: ClusterDecision): Promise<Acted> {
  try {
    await holdBack(deps.kube, Clusters, observation.rec, FINALIZERS.cluster);
    await keepSecrets(deps, observation);
    if (decision.ownsObjects) await deps.keeper.keep(ownedObjects(observation));
    if (decision.step.kind === "act") {
      deps.log.info("performing a step", {
        cluster: observation.view.name,
        act: decision.step.act,
        why: decision.step.why,
      });
      await perform(deps, observation, decision.step.act, decision.target);
    }
    return { objection: await keepLicense(deps.kube, observation) };
  } catch (error) {
    // reported in the status first, thrown after that
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

function failedDecision(decision: ClusterDecision, failure: unknown): ClusterDecision {
  const step = { kind: "wait", reason: "StepFailed", message: messageOf(failure) } as const;
  return { ...decision, step };
}

async function report(deps: ClusterDeps, observation: ClusterObservation, decision: ClusterDecision): Promise<void> {
  const { rec, view } = observation;
  const status = nextStatus(observation, decision, deps.clock.now());
  await writeStatus(deps.kube, rec, status);
  for (const { type, reason, message } of announcements(view, view.remembered, status)) {
    deps.events.record(rec, type, reason, message);
  }
}

/** Writes nothing when nothing differs. */
async function writeStatus(kube: Kube, rec: Stored<StoreEnterpriseCluster>, status: ClusterStatus): Promise<void> {
  const plain: ClusterStatus = JSON.parse(JSON.stringify(status)); // without members that are undefined
  if (isDeepStrictEqual(rec.status, plain)) return;
  await changeObject(kube, Clusters, refOf(rec), (current) => ({ ...current, status: plain }), STATUS);
}

const STATUS = { subresource: "status" } as const;

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

function outcomeOf({ step, state }: ClusterDecision): Outcome {
  switch (step.kind) {
    case "act":
      return waiting(1, "Stepping", step.why);
    case "wait":
      return waiting(step.finding === undefined ? STEP_MS : STEP_MS * 3, step.reason, step.message);
    case "done":
      return waiting(REST_MS, "Resting", `the cluster is ${state}`);
  }
}
