import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import type { Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";
import { podFrom } from "../pods/template.ts";

export const REVISION_LABEL = "controller-revision-hash";

/** The ordinal in a pod's name; undefined when the name is not one of this set. */
export function ordinalOf(set: Stored<StatefulSet>, podName: string): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const rest = podName.startsWith(prefix) ? podName.slice(prefix.length) : "";
  return /^(0|[1-9]\d{0,8})$/.test(rest) ? Number(rest) : undefined;
}

/** The pod with this ordinal: its name, host name and volumes are always the same. */
export function podWithIdentity(
  set: Stored<StatefulSet>,
  template: PodTemplateSpec,
  ordinal: number,
  revision: string,
): Wanted<Pod> {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podFrom(template, set, name, {
    "statefulset.kubernetes.io/pod-name": name,
    "apps.kubernetes.io/pod-index": String(ordinal),
    [REVISION_LABEL]: revision,
  });
  const subdomain = set.spec?.serviceName;
  return {
    ...pod,
    spec: {
      ...(template.spec ?? { containers: [] }),
      hostname: name,
      ...(subdomain === undefined || subdomain === "" ? {} : { subdomain }),
      volumes: [...claimVolumes(set, ordinal), ...otherVolumes(set, template)],
    },
  };
}

/** The claims of this ordinal, which outlive its pods. */
export function claimsOf(set: Stored<StatefulSet>, ordinal: number): Wanted<PersistentVolumeClaim>[] {
  const { namespace = "" } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      name: claimName(set, template, ordinal),
      namespace,
      labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
      annotations: { ...template.metadata?.annotations },
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  }));
}

function claimVolumes(set: Stored<StatefulSet>, ordinal: number): Volume[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
}

function otherVolumes(set: Stored<StatefulSet>, template: PodTemplateSpec): Volume[] {
  const claimed = new Set(set.spec?.volumeClaimTemplates?.map(({ metadata }) => metadata?.name));
  return (template.spec?.volumes ?? []).filter(({ name }) => !claimed.has(name));
}

function claimName(set: Stored<StatefulSet>, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name ?? ""}-${set.metadata.name}-${ordinal}`;
}
