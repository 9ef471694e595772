import { isFault, messageOf } from "#kit/base/fault";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Kube, Ref } from "#kit/kube/kube";
import { ActiveActiveDatabases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { liveRecord } from "../../../core/planner/active-active/record.ts";
import { decideActiveActive, type ActiveActiveAct } from "../../../core/planner/active-active/decide.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { failureOf } from "../database/failure.ts";
import { addFinalizer } from "../objects/finalizer.ts";
import { block, pause } from "../../../core/planner/findings/finding.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { SITE_MS } from "../remote-cluster/controller.ts";
import { performActiveActive } from "./acts.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { SiteRecords } from "../../../mechanisms/observe/sites/sites.ts";
import { observeLink, replicationAt } from "./replication.ts";
import { observeActiveActive, readActiveActiveSpec, type ActiveActiveObservation, type Reaadb } from "./view.ts";
import type { ActiveActiveDeps, Pass } from "./deps.ts";
import { ownRemoteOf } from "./own-cluster.ts";
import { reportActiveActive, reportHindrance } from "./report.ts";

/** The next step is looked for after this long, in milliseconds. */
const STEP_MS = 200;

/** Observes an Active-Active database whose cluster can be asked, does what is decided, and reports. */
export async function pass(deps: ActiveActiveDeps, begun: Pass): Promise<Outcome> {
  const client = begun.context?.connection?.client;
  if (client === undefined) return reportHindrance(deps, begun, NOT_YET);
  const seen = await observe(deps, begun, client);
  return "id" in seen ? reportHindrance(deps, begun, seen) : follow(deps, begun, client, seen);
}

interface Seen {
  readonly reaadb: Reaadb | undefined;
  readonly own: SiteRecords;
  readonly link: Awaited<ReturnType<typeof observeLink>>;
  readonly observation: ActiveActiveObservation;
}

/** Why it cannot be decided about, when it cannot. */
async function observe(
  deps: ActiveActiveDeps,
  { place, reaadb: found, self, cluster }: Pass,
  client: ManagementClient,
): Promise<Seen | Finding> {
  const own = await deps.sites.own(ownRemoteOf(self, place, cluster), client, SITE_MS / 2);
  if ("evidence" in own) return pause("ClusterNotReady", own.evidence);
  const spec = found && readActiveActiveSpec(found);
  if (typeof spec === "string") return block("SpecInvalid", spec, editObject(`reaadb ${place.name}`));
  const reaadb = found && (await withFinalizer(deps.kube, found));
  const link = await observeLink(client, liveRecord(own.crdbs, place.name)?.guid ?? reaadb?.status?.guid);
  const beginning = { key: place, reaadb, spec, self, cluster, own, link };
  return { reaadb, own, link, observation: await observeActiveActive(deps, beginning, SITE_MS / 2) };
}

async function follow(
  deps: ActiveActiveDeps,
  { place, self, cluster }: Pass,
  client: ManagementClient,
  { reaadb, own, link, observation }: Seen,
): Promise<Outcome> {
  const decision = decideActiveActive(observation.view);
  const { step } = decision;
  const act = step.kind === "act" ? step.act : undefined;
  const scene = { key: place, reaadb, database: observation.database, cluster, client };
  const failure = act && (await attempt(place, () => performActiveActive(deps, scene, act)));
  if (step.kind === "act") {
    deps.sites.wrote(client);
    deps.log.info("performing a step", { activeActive: place.name, why: step.why, failure });
  }
  if (reaadb !== undefined && hasStatusAfter(act, failure)) {
    const site = { link, self: self?.metadata.name, nodes: own.nodes, record: decision.record };
    const { database, polled } = observation;
    const replication = replicationAt(reaadb, site);
    await reportActiveActive(deps, { reaadb, database, polled, decision, hindrance: failure, replication });
  }
  if (failure === undefined && step.kind === "act") return lookAgain(STEP_MS);
  return failure === undefined && reaadb === undefined ? AT_REST : lookAgain(SITE_MS);
}

/** An object that was released has no status any more, and one that was written is looked at anew before. */
function hasStatusAfter(act: ActiveActiveAct | undefined, failure: Finding | undefined): boolean {
  if (act === undefined) return true;
  if (act.kind === "release-object") return false;
  return failure !== undefined || !["write-object", "remember", "delete-object"].includes(act.kind);
}

const NOT_YET = pause("ClusterNotReady", "the cluster cannot be asked yet");

/** Adds the finalizer; an object that is being deleted gets none any more. */
async function withFinalizer(kube: Kube, reaadb: Reaadb): Promise<Reaadb> {
  return reaadb.metadata.deletionTimestamp === undefined
    ? addFinalizer(kube, ActiveActiveDatabases, reaadb, FINALIZERS.activeActive)
    : reaadb;
}

async function attempt({ name }: Ref, act: () => Promise<void>): Promise<Finding | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (isFault(error, kubeFaults.invalid)) return pause("ConfigurationRefused", messageOf(error));
    const failure = failureOf(error, `reaadb ${name}`);
    if (failure === undefined) throw error;
    return failure;
  }
}
