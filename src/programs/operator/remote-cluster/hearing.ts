import type { StoreEnterpriseRemoteCluster } from "../../../core/api/kinds.ts";
import { remoteClusterSpec } from "../../../core/api/active-active.ts";
import { keyOf } from "../../../ports/kube/ref.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import type { Copies } from "../../../mechanisms/observe/copies.ts";
import type { RemoteCluster } from "../../../mechanisms/observe/site-silence.ts";
import type { SiteHeard, Sites } from "../../../mechanisms/observe/sites.ts";
import type { ParticipantWord } from "../../../core/planner/active-active/participants.ts";
import type { Footing, Footings } from "../footing.ts";

export interface HearingDeps {
  readonly copies: Copies;
  readonly footings: Footings;
  readonly sites: Sites;
}

/** A StoreEnterpriseRemoteCluster as it is stored. */
export type Rerc = Stored<StoreEnterpriseRemoteCluster>;

/** Whether it stands for a cluster of its own namespace. */
export function isOwn({ clusters }: Copies, { metadata, spec }: Rerc): boolean {
  const { namespace = "default" } = metadata;
  return spec.recNamespace === namespace && clusters.get({ name: spec.recName, namespace }) !== undefined;
}

/** What its cluster says, at most `maxAgeMs` old; the own one is asked by the way that the operator has to it anyway. */
export async function hear({ copies, footings, sites }: HearingDeps, rerc: Rerc, maxAgeMs: number): Promise<SiteHeard> {
  const remote = readRemote(rerc);
  if (typeof remote === "string") return { word: { reason: "RemoteClusterInvalid", message: remote, remedy: EDIT } };
  if (!isOwn(copies, rerc)) return sites.heard(remote, maxAgeMs);
  const footing = footingOf({ footings }, rerc);
  if (footing?.connection !== undefined) return { word: await sites.own(remote, footing.connection.client, maxAgeMs) };
  const message = footing?.unready?.message ?? `the cluster ${remote.spec.recName} has not been looked at yet`;
  return { word: { reason: "Unreachable", message, remedy: `kubectl describe rec ${remote.spec.recName}` } };
}

/** What the own cluster that it stands for gives to rest on; undefined when it has not been looked at. */
export function footingOf({ footings }: Pick<HearingDeps, "footings">, { metadata, spec }: Rerc): Footing | undefined {
  return footings.of(keyOf({ name: spec.recName, namespace: metadata.namespace ?? "default" }));
}

/** The same as a fact for the planner. */
export function participantWord({ word }: SiteHeard): ParticipantWord {
  if ("reason" in word) return { answers: false, ...word };
  return {
    answers: true,
    operator: word.cluster.operator_version,
    nodeTags: [...new Set(word.nodes.map(({ software_version }) => software_version))],
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

const EDIT = "correct the field: kubectl edit rerc";
