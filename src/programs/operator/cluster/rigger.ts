import { resumeRollout } from "../../../core/api/kubectl.ts";
import { clusterNames, NEWEST_AUTHORITY_ANNOTATION } from "../../../core/api/names.ts";
import type { Holder } from "../../../core/planner/cluster/authority-holders.ts";
import { Deployments } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import type { Owner } from "../objects/meta.ts";

/**
 * Restarts the services rigger of a cluster for its newest authority, the new pod beside the old one, so that it reads its mounts again: it has
 * no API that could say what it trusts. Does nothing for a rigger that was started for that authority; the answer says whether it runs.
 */
export async function renewedRigger(
  kube: Kube,
  { view, namespace }: Owner,
  newest: string,
): Promise<readonly Holder[]> {
  const name = clusterNames.rigger(view.name);
  const { items } = await kube.list(Deployments, { namespace, fieldSelector: `metadata.name=${name}` });
  const [deployment] = items;
  if (deployment === undefined) return []; // while its owner makes it, it starts with the mounts of now
  const { spec, status, metadata } = deployment;
  if (spec?.template.metadata?.annotations?.[NEWEST_AUTHORITY_ANNOTATION] !== newest) {
    const annotations = { [NEWEST_AUTHORITY_ANNOTATION]: newest };
    const body = { spec: { template: { metadata: { annotations } } } };
    await kube.patch(Deployments, { name, namespace }, { type: "merge", body });
    return [{ name, why: "it is started anew" }];
  }
  const replicas = spec.replicas ?? 1;
  const isRolled =
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === replicas &&
    status.replicas === replicas &&
    status.availableReplicas === replicas;
  if (isRolled) return [{ name, trusts: [newest], shows: [] }];
  const isPaused = spec.paused === true;
  return [{ name, why: isPaused ? `it is paused: ${resumeRollout(name)}` : "it is started anew" }];
}
