import type { StoreEnterpriseRemoteCluster } from "../../../core/api/kinds.ts";
import { remoteClusterSpec } from "../../../core/api/active-active.ts";
import { keyOf } from "#kit/kube/ref";
import type { Stored } from "#kit/kube/kube";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { RemoteCluster } from "../../../mechanisms/observe/sites/site-unreachable.ts";
import type { SiteState, Sites } from "../../../mechanisms/observe/sites/sites.ts";
import type { ParticipantAnswer } from "../../../core/planner/active-active/participants.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import type { ClusterContext, ClusterContexts } from "../context/cluster-context.ts";
import { describeObject, editObject } from "../../../core/api/kubectl.ts";

export interface RemoteReadDeps {
  readonly cache: InformerCache;
  readonly contexts: ClusterContexts;
  readonly sites: Sites;
}

/** A StoreEnterpriseRemoteCluster as it is stored. */
export type Rerc = Stored<StoreEnterpriseRemoteCluster>;

/** Whether it stands for a cluster of its own namespace. */
export function isOwn({ clusters }: InformerCache, { metadata, spec }: Rerc): boolean {
  const { namespace = "default" } = metadata;
  return spec.recNamespace === namespace && clusters.get({ name: spec.recName, namespace }) !== undefined;
}

/** What its cluster says, at most `maxAgeMs` old; the own one is asked by the way that the operator has to it anyway. */
export async function readParticipant(
  { cache, contexts, sites }: RemoteReadDeps,
  rerc: Rerc,
  maxAgeMs: number,
): Promise<SiteState> {
  const remote = readRemote(rerc);
  if (typeof remote === "string") return { answer: wait("RemoteClusterInvalid", remote, EDIT) };
  if (!isOwn(cache, rerc)) return sites.polled(remote, maxAgeMs);
  const context = localContextOf({ contexts }, rerc);
  if (context?.connection !== undefined)
    return { answer: await sites.own(remote, context.connection.client, maxAgeMs) };
  const evidence = context?.unready?.evidence ?? `the cluster ${remote.spec.recName} has not been looked at yet`;
  return { answer: wait("Unreachable", evidence, describeObject(`rec ${remote.spec.recName}`)) };
}

/** What the own cluster that it stands for gives to rest on; undefined when it has not been looked at. */
export function localContextOf(
  { contexts }: Pick<RemoteReadDeps, "contexts">,
  { metadata, spec }: Rerc,
): ClusterContext | undefined {
  return contexts.of(keyOf({ name: spec.recName, namespace: metadata.namespace ?? "default" }));
}

/** The same as a fact for the planner. */
export function participantWord({ answer }: SiteState): ParticipantAnswer {
  if ("evidence" in answer) return { answers: false, finding: answer };
  return {
    answers: true,
    operator: answer.cluster.operator_version,
    nodeTags: [...new Set(answer.nodes.map(({ software_version }) => software_version))],
  };
}

/** The remote cluster that the object describes; a sentence that names the field when it describes none. */
export function readRemote({ metadata, spec }: Rerc): RemoteCluster | string {
  const parsed = remoteClusterSpec.safeParse(spec);
  const { name, namespace = "default" } = metadata;
  if (parsed.success) return { name, namespace, spec: parsed.data };
  const issue = parsed.error.issues[0];
  return `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
}

const EDIT = `correct the field: ${editObject("rerc")}`;
