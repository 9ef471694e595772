import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";
import { controllerReference } from "../../../../controller-kit/src/kube/ref.ts";
import { templateHash } from "../pods/template.ts";

export const REVISION = "deployment.kubernetes.io/revision";
const HASH_LABEL = "pod-template-hash";

/** The ReplicaSets of a Deployment: that of the current template, and the others, oldest first. */
export interface Sets {
  readonly fresh: Stored<ReplicaSet> | undefined;
  readonly old: readonly Stored<ReplicaSet>[];
}

/** Tells them apart by the hash of their template. */
export function sortSets(template: PodTemplateSpec, sets: readonly Stored<ReplicaSet>[]): Sets {
  const hash = templateHash(template);
  const isFresh = (set: Stored<ReplicaSet>): boolean => set.metadata.labels?.[HASH_LABEL] === hash;
  const byRevision = sets.toSorted((a, b) => revisionOf(a) - revisionOf(b));
  return { fresh: byRevision.find(isFresh), old: byRevision.filter((set) => !isFresh(set)) };
}

/** The number of a rollout as `kubectl rollout history` shows it; 0 when it has none. */
export function revisionOf(object: Stored<object>): number {
  return Number(object.metadata.annotations?.[REVISION] ?? 0);
}

/** A ReplicaSet without pods for the current template of a Deployment. */
export function freshSet(
  deployment: Stored<Deployment>,
  template: PodTemplateSpec,
  revision: number,
): Wanted<ReplicaSet> {
  const { name, namespace = "" } = deployment.metadata;
  const hash = templateHash(template);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const selector = deployment.spec?.selector ?? {};
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { ...keptAnnotations(deployment), [REVISION]: String(revision) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...(deployment.spec?.minReadySeconds === undefined ? {} : { minReadySeconds: deployment.spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** `kubectl rollout history` reads the change cause from the set. */
function keptAnnotations(deployment: Stored<Deployment>): Record<string, string> {
  const annotations = Object.entries(deployment.metadata.annotations ?? {});
  const isOwn = (name: string): boolean => name === REVISION || name.startsWith("kubectl.kubernetes.io/last-applied");
  return Object.fromEntries(annotations.filter(([name]) => !isOwn(name)));
}
