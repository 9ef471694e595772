import type { Container, ObjectFieldSelector, Pod, ResourceFieldSelector } from "kubernetes-types/core/v1.js";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { faults } from "../faults.ts";
import { inUnits, parseQuantity } from "../../../../controller-kit/src/base/quantity.ts";

/** What the kubelet knows of a pod beyond its object. */
export interface PodFacts {
  readonly pod: Stored<Pod>;
  readonly podIP: string;
  readonly hostIP: string;
  readonly nodeName: string;
  /** The capacity of the node: what a container without limits may use. */
  readonly capacity: Readonly<Record<string, string>>;
}

const SUBSCRIPT = /^metadata\.(labels|annotations)\['([^']+)'\]$/;

/** Value of a downward API field; KUBELET_FIELD_UNKNOWN for a path that Kubernetes does not offer either. */
export function fieldValue({ pod, podIP, hostIP, nodeName }: PodFacts, { fieldPath }: ObjectFieldSelector): string {
  const subscript = SUBSCRIPT.exec(fieldPath);
  if (subscript !== null) {
    const [, map = "", key = ""] = subscript;
    return (map === "labels" ? pod.metadata.labels : pod.metadata.annotations)?.[key] ?? "";
  }
  const values: Readonly<Record<string, string>> = {
    "metadata.name": pod.metadata.name,
    "metadata.namespace": pod.metadata.namespace ?? "",
    "metadata.uid": pod.metadata.uid,
    "metadata.labels": asLines(pod.metadata.labels),
    "metadata.annotations": asLines(pod.metadata.annotations),
    "spec.nodeName": nodeName,
    "spec.serviceAccountName": pod.spec?.serviceAccountName ?? "default",
    "status.podIP": podIP,
    "status.podIPs": podIP,
    "status.hostIP": hostIP,
    "status.hostIPs": hostIP,
  };
  const value = values[fieldPath];
  if (value === undefined) {
    throw new Fault(faults.fieldUnknown, `fieldRef "${fieldPath}" of pod ${pod.metadata.name} is not a field`, {
      fieldPath,
    });
  }
  return value;
}

/** Value of a resource field in units of its divisor, rounded up; without a limit, what the node has. */
export function resourceValue(
  facts: PodFacts,
  container: Container,
  { resource, divisor }: ResourceFieldSelector,
): string {
  const [kind = "", name = ""] = resource.split(/\.(.*)/s);
  const { limits, requests } = container.resources ?? {};
  const quantity = (kind === "requests" ? requests?.[name] : undefined) ?? limits?.[name] ?? facts.capacity[name];
  if (!["limits", "requests"].includes(kind) || quantity === undefined) {
    throw new Fault(
      faults.fieldUnknown,
      `resourceFieldRef "${resource}" of container ${container.name} is not a field`,
      { resource },
    );
  }
  return String(
    inUnits(parseQuantity(quantity), parseQuantity(divisor === undefined || divisor === "0" ? "1" : divisor)),
  );
}

function asLines(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}
