import { at, childOf, fillIn, isJson, jsonAt, listAt, mapAt, numberAt, type Json } from "../objects/json.ts";
import type { StatusCause } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import { sameJson } from "../schema/json.ts";
import type { Strategy } from "../resources/resource.ts";
import { templateDefaults } from "./pod.ts";
import { workloadRules } from "./pod-rules.ts";

export const deploymentStrategy: Strategy = {
  defaults: (deployment) => {
    const spec = childOf(deployment, "spec");
    fillIn(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
    rollingDefaults(childOf(spec, "strategy"), { maxUnavailable: "25%", maxSurge: "25%" });
    templateDefaults(spec);
  },
  check: (object, before) => [
    ...templateRules(object),
    ...strategyRules(object),
    ...requireSameFields(object, before, ["selector"]),
  ],
};

export const replicaSetStrategy: Strategy = {
  defaults: (replicaSet) => {
    const spec = childOf(replicaSet, "spec");
    fillIn(spec, { replicas: 1 });
    templateDefaults(spec);
  },
  check: (object, before) => [...templateRules(object), ...requireSameFields(object, before, ["selector"])],
};

export const statefulSetStrategy: Strategy = {
  defaults: (statefulSet) => {
    const spec = childOf(statefulSet, "spec");
    fillIn(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: "OrderedReady", updateStrategy: {} });
    rollingDefaults(childOf(spec, "updateStrategy"), { partition: 0 });
    fillIn(childOf(spec, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
    templateDefaults(spec);
    for (const claim of listAt(spec, "volumeClaimTemplates")) {
      fillIn(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
      fillIn(childOf(claim, "spec"), { volumeMode: "Filesystem" });
    }
  },
  check: (object, before) => [...templateRules(object), ...statefulSetChanges(object, before)],
};

export const daemonSetStrategy: Strategy = {
  defaults: (daemonSet) => {
    const spec = childOf(daemonSet, "spec");
    fillIn(spec, { revisionHistoryLimit: 10 });
    rollingDefaults(childOf(spec, "updateStrategy"), { maxUnavailable: 1, maxSurge: 0 });
    templateDefaults(spec);
  },
  check: (object, before) => [...templateRules(object), ...requireSameFields(object, before, ["selector"])],
};

export const jobStrategy: Strategy = {
  defaults: (job) => jobSpecDefaults(childOf(job, "spec")),
  begin: (job) => {
    const spec = childOf(job, "spec");
    if (spec["manualSelector"] === true) return;
    const uid = job.metadata.uid ?? "";
    const labels = {
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-name": job.metadata.name,
      "controller-uid": uid,
      "job-name": job.metadata.name,
    };
    spec["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
    Object.assign(childOf(childOf(childOf(spec, "template"), "metadata"), "labels"), labels);
  },
  check: (object, before) => [
    ...workloadRules(object),
    ...requireSameFields(object, before, ["selector", "template", "completions"]),
  ],
};

export const cronJobStrategy: Strategy = {
  defaults: (cronJob) => {
    const spec = childOf(cronJob, "spec");
    fillIn(spec, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const template = childOf(spec, "jobTemplate");
    jobSpecDefaults(childOf(template, "spec"));
  },
};

function jobSpecDefaults(spec: Json): void {
  fillIn(spec, { parallelism: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false });
  fillIn(spec, { podReplacementPolicy: "TerminatingOrFailed" });
  if (numberAt(spec, "parallelism") === 1) fillIn(spec, { completions: 1 });
  templateDefaults(spec);
}

function rollingDefaults(strategy: Json, values: Json): void {
  fillIn(strategy, { type: "RollingUpdate" });
  if (strategy["type"] === "RollingUpdate") fillIn(childOf(strategy, "rollingUpdate"), values);
}

function templateRules(object: KubeObject): StatusCause[] {
  const selector = at(object, "spec", "selector");
  const rules = workloadRules(object);
  if (!isJson(selector)) return [{ reason: "FieldValueRequired", field: "spec.selector", message: "Required value" }];
  const labels = mapAt(object, "spec", "template", "metadata", "labels");
  const matches = Object.entries(mapAt(selector, "matchLabels")).every(([key, value]) => labels[key] === value);
  if (matches) return rules;
  const message = `Invalid value: map[string]string${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``;
  return [...rules, { reason: "FieldValueInvalid", field: "spec.template.metadata.labels", message }];
}

function strategyRules(object: KubeObject): StatusCause[] {
  const { type, rollingUpdate } = jsonAt(object, "spec", "strategy");
  if (type !== "Recreate" || rollingUpdate === undefined) return [];
  const message = "Forbidden: may not be specified when strategy `type` is 'Recreate'";
  return [{ reason: "FieldValueForbidden", field: "spec.strategy.rollingUpdate", message }];
}

/** Fields of the spec that never change after the object is made. */
function requireSameFields(
  object: KubeObject,
  before: KubeObject | undefined,
  fields: readonly string[],
): StatusCause[] {
  if (before === undefined) return [];
  return fields
    .filter((field) => !sameJson(at(object, "spec", field), at(before, "spec", field)))
    .map((field) => ({
      reason: "FieldValueInvalid",
      field: `spec.${field}`,
      message: `Invalid value: ${JSON.stringify(at(object, "spec", field) ?? null)}: field is immutable`,
    }));
}

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function statefulSetChanges(object: KubeObject, before: KubeObject | undefined): StatusCause[] {
  if (before === undefined) return [];
  const rest = (set: KubeObject): Json =>
    Object.fromEntries(Object.entries(jsonAt(set, "spec")).filter(([name]) => !STATEFUL_SET_MUTABLE.includes(name)));
  if (sameJson(rest(object), rest(before))) return [];
  const message =
    "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [{ reason: "FieldValueForbidden", field: "spec", message }];
}
