import { childOf, fillIn, isJson, jsonAt, listAt, textAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { StatusCause } from "../faults.ts";
import { sameJson } from "../schema/json.ts";
import type { Strategy } from "../resources/resource.ts";
import { podSpecRules } from "./pod-rules.ts";

export const podStrategy: Strategy = {
  defaults: (pod) => {
    podSpecDefaults(childOf(pod, "spec"));
    for (const list of ["initContainers", "containers"]) listAt(pod, "spec", list).forEach(askForLimits);
    fillIn(childOf(pod, "spec"), { enableServiceLinks: true });
  },
  begin: (pod) => {
    pod["status"] = { phase: "Pending", qosClass: qosClass(jsonAt(pod, "spec")) };
  },
  check: (pod, before) => [...podSpecRules(jsonAt(pod, "spec"), "spec"), ...podChanges(pod, before)],
};

/** Fills in what a pod's or a template's spec leaves out. */
function podSpecDefaults(spec: Json): void {
  fillIn(spec, {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
  if (typeof spec["serviceAccountName"] === "string") fillIn(spec, { serviceAccount: spec["serviceAccountName"] });
  for (const list of ["initContainers", "containers"]) listAt(spec, list).forEach(containerDefaults);
  listAt(spec, "volumes").forEach(volumeDefaults);
}

/** Fills in what a workload's pod template leaves out. */
export function templateDefaults(owner: Json): void {
  const template = childOf(owner, "template");
  podSpecDefaults(childOf(template, "spec"));
}

/** What a container of a pod is limited to and does not ask for, it asks for. */
function askForLimits({ resources }: Json): void {
  if (isJson(resources) && isJson(resources["limits"])) fillIn(childOf(resources, "requests"), resources["limits"]);
}

function containerDefaults(container: Json): void {
  const image = textAt(container, "image");
  const latest = !image.includes("@") && (!image.split("/").at(-1)?.includes(":") || image.endsWith(":latest"));
  fillIn(container, {
    imagePullPolicy: latest ? "Always" : "IfNotPresent",
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
  for (const port of listAt(container, "ports")) fillIn(port, { protocol: "TCP" });
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const probe = container[name];
    if (isJson(probe)) probeDefaults(probe);
  }
  for (const { valueFrom } of listAt(container, "env")) {
    if (isJson(valueFrom) && isJson(valueFrom["fieldRef"])) fillIn(valueFrom["fieldRef"], { apiVersion: "v1" });
  }
}

function probeDefaults(probe: Json): void {
  fillIn(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  if (isJson(probe["httpGet"])) fillIn(probe["httpGet"], { path: "/", scheme: "HTTP" });
  if (isJson(probe["grpc"])) fillIn(probe["grpc"], { service: "" });
}

function volumeDefaults(volume: Json): void {
  for (const kind of ["secret", "configMap", "downwardAPI", "projected"]) {
    const source = volume[kind];
    if (isJson(source)) fillIn(source, { defaultMode: 420 });
  }
  for (const source of listAt(volume, "projected", "sources")) {
    if (isJson(source["serviceAccountToken"])) fillIn(source["serviceAccountToken"], { expirationSeconds: 3600 });
    fieldReferences(jsonAt(source, "downwardAPI"));
  }
  fieldReferences(jsonAt(volume, "downwardAPI"));
  if (isJson(volume["hostPath"])) fillIn(volume["hostPath"], { type: "" });
}

function fieldReferences(source: Json): void {
  for (const { fieldRef } of listAt(source, "items")) if (isJson(fieldRef)) fillIn(fieldRef, { apiVersion: "v1" });
}

function qosClass(spec: Json): string {
  const resources = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")].map((c) =>
    jsonAt(c, "resources"),
  );
  const some = resources.some((r) => Object.keys({ ...jsonAt(r, "requests"), ...jsonAt(r, "limits") }).length > 0);
  if (!some) return "BestEffort";
  const guaranteed = resources.every((r) => {
    const limits = jsonAt(r, "limits");
    return ["cpu", "memory"].every(
      (name) => limits[name] !== undefined && (jsonAt(r, "requests")[name] ?? limits[name]) === limits[name],
    );
  });
  return guaranteed ? "Guaranteed" : "Burstable";
}

const MUTABLE = [
  "activeDeadlineSeconds",
  "tolerations",
  "terminationGracePeriodSeconds",
  "nodeName",
  "schedulingGates",
];

/** Refuses changes of a pod's spec except to images and a few fields; the node may change only once, through the binding. */
function podChanges(pod: KubeObject, before: KubeObject | undefined): StatusCause[] {
  if (before === undefined) return [];
  const [now, old] = [fixedPart(jsonAt(pod, "spec")), fixedPart(jsonAt(before, "spec"))];
  const moved = textAt(before, "spec", "nodeName") !== textAt(pod, "spec", "nodeName");
  if (!moved && sameJson(now, old)) return [];
  const message =
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
  return [{ reason: "FieldValueForbidden", field: "spec", message }];
}

function fixedPart(spec: Json): Json {
  const rest = Object.fromEntries(Object.entries(spec).filter(([name]) => !MUTABLE.includes(name)));
  for (const list of ["initContainers", "containers"]) {
    if (list in rest) rest[list] = listAt(spec, list).map((container) => ({ ...container, image: "" }));
  }
  return rest;
}
