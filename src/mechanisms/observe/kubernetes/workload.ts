import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import { IN_SERVICE_GATE, NODE_CONTAINER } from "../../../core/api/names.ts";
import { isTrue } from "#kit/kube/conditions";
import type { Stored } from "#kit/kube/kube";
import { controllerOf } from "#kit/kube/ref";
import { parseQuantity } from "#kit/base/quantity";
import type { Volume } from "../../../core/planner/prerequisites/environment.ts";
import type { Namesake, NodePod, Workload } from "../../../core/planner/view/cluster-view.ts";
import { imageDigestOf, imageTagOf } from "../../../core/releases/catalogue/images.ts";

/** Annotation of the StatefulSet: hash of the pod template that was last written. */
export const TEMPLATE_ANNOTATION = "storeenterprise.io/template";

/** The StatefulSet as the planner looks at it. */
export function workloadOf({ metadata, spec, status }: Stored<StatefulSet>): Workload {
  const container = spec?.template.spec?.containers.find(({ name }) => name === NODE_CONTAINER);
  return {
    template: metadata.annotations?.[TEMPLATE_ANNOTATION] ?? "",
    image: container?.image ?? "",
    nodeTag: imageTagOf(container?.image ?? ""),
    replicas: spec?.replicas ?? 1,
    partition: spec?.updateStrategy?.rollingUpdate?.partition ?? 0,
    updateRevision: status?.updateRevision ?? "",
    currentRevision: status?.currentRevision ?? "",
    writing: writingOf(metadata),
    observed: (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    volumes: volumesOf(spec?.volumeClaimTemplates?.[0]),
    presence: metadata.deletionTimestamp === undefined ? "there" : "leaving",
    ...finalizersOf(metadata),
  };
}

/** Another text for each spec that the StatefulSet has had. */
export function writingOf({ uid, generation }: Stored<StatefulSet>["metadata"]): string {
  return `${uid}/${generation ?? 0}`;
}

/** What stands for the StatefulSet that these pods had: what was noted of it, and what its pods and claims show. */
export function lostWorkload(
  pods: readonly NodePod[],
  imageTag: string | undefined,
  volumes: readonly Volume[],
): Workload | undefined {
  const [first] = pods;
  if (first === undefined) return undefined;
  const replicas = Math.max(...pods.map(({ ordinal }) => ordinal)) + 1;
  const sizes = volumes.map(({ requested }) => requested).toSorted((a, b) => parseQuantity(a) - parseQuantity(b));
  return {
    template: "",
    image: "",
    nodeTag: imageTag ?? first.nodeTag,
    replicas,
    partition: replicas,
    updateRevision: first.revision,
    currentRevision: first.revision,
    writing: "",
    observed: true,
    volumes: sizes[0] === undefined ? undefined : { size: sizes[0], storageClassName: undefined },
    presence: "lost",
  };
}

function volumesOf(template: PersistentVolumeClaim | undefined): Workload["volumes"] {
  if (template === undefined) return undefined;
  const { resources, storageClassName } = template.spec ?? {};
  return { size: resources?.requests?.["storage"] ?? "", storageClassName };
}

/** A node pod as the planner looks at it. */
export function nodePodOf({ metadata, spec, status }: Stored<Pod>): NodePod {
  const container = spec?.containers.find(({ name }) => name === NODE_CONTAINER);
  const seen = status?.containerStatuses?.find(({ name }) => name === NODE_CONTAINER);
  return {
    ordinal: ordinalOf(metadata),
    id: metadata.uid,
    ...endOf(metadata),
    revision: metadata.labels?.["controller-revision-hash"] ?? "",
    nodeTag: imageTagOf(container?.image ?? ""),
    digest: imageDigestOf(seen?.imageID ?? "") || imageDigestOf(container?.image ?? ""),
    deleting: metadata.deletionTimestamp !== undefined,
    ...finalizersOf(metadata),
    containerReady: seen?.ready ?? false,
    inService: isTrue(status?.conditions, IN_SERVICE_GATE),
    trouble: troubleOf(status),
    unschedulable: unscheduledOf(status) !== undefined,
    orphaned: controllerOf({ metadata }) === undefined,
  };
}

/** A pod with the name of a node that its StatefulSet does not know. */
export function namesakeOf({ metadata, spec }: Stored<Pod>): Namesake {
  return {
    ordinal: ordinalOf(metadata),
    isNode: spec?.containers.some(({ name }) => name === NODE_CONTAINER) === true,
  };
}

function ordinalOf({ name }: Stored<object>["metadata"]): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}

/** The finalizers by which Kubernetes itself orders deletions: they end unasked. */
const OF_KUBERNETES: readonly string[] = ["orphan", "foregroundDeletion"];

function finalizersOf({ finalizers = [] }: Stored<object>["metadata"]): { readonly finalizers?: readonly string[] } {
  const others = finalizers.filter((one) => !OF_KUBERNETES.includes(one));
  return others.length === 0 ? {} : { finalizers: others };
}

/** When a pod is due to end; one that was deleted by force is due now, and waits for a finalizer alone. */
function endOf({ deletionTimestamp, deletionGracePeriodSeconds }: Stored<Pod>["metadata"]): Pick<NodePod, "endsInMs"> {
  if (deletionTimestamp === undefined) return {};
  return { endsInMs: deletionGracePeriodSeconds === 0 ? 0 : Date.parse(deletionTimestamp) - Date.now() };
}

/** Reasons that every pod goes through on its way up. */
const ON_THE_WAY = ["ContainerCreating", "PodInitializing"];

function troubleOf(status: Pod["status"]): string {
  const unscheduled = unscheduledOf(status);
  if (unscheduled !== undefined) return sentence(unscheduled.reason ?? "Unschedulable", unscheduled.message);
  const waiting = status?.containerStatuses?.map(({ state }) => state?.waiting).find((state) => state !== undefined);
  if (waiting === undefined || ON_THE_WAY.includes(waiting.reason ?? "")) return "";
  return sentence(waiting.reason ?? "Waiting", waiting.message);
}

function unscheduledOf(status: Pod["status"]) {
  return status?.conditions?.find(({ type, status: holds }) => type === "PodScheduled" && holds === "False");
}

function sentence(reason: string, message: string | undefined): string {
  return message === undefined || message === "" ? reason : `${reason}: ${message}`;
}
