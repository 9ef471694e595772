import { at, listAt, mapAt, numberAt, textAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, countColumn, commaSeparated, nameColumn, orNone, templateColumns, textColumn } from "./column.ts";
import { ageOf, humanDuration } from "./duration.ts";

const TEMPLATE = ["spec", "template", "spec"];

function number(object: KubeObject, ...path: string[]): number {
  return numberAt(object, ...path) ?? 0;
}

export const deploymentColumns: readonly Column[] = [
  nameColumn,
  textColumn("Ready", (o) => `${number(o, "status", "readyReplicas")}/${number(o, "spec", "replicas")}`),
  countColumn("Up-to-date", (o) => number(o, "status", "updatedReplicas")),
  countColumn("Available", (o) => number(o, "status", "availableReplicas")),
  ageColumn,
  ...templateColumns(TEMPLATE),
];

export const replicaSetColumns: readonly Column[] = [
  nameColumn,
  countColumn("Desired", (o) => number(o, "spec", "replicas")),
  countColumn("Current", (o) => number(o, "status", "replicas")),
  countColumn("Ready", (o) => number(o, "status", "readyReplicas")),
  ageColumn,
  ...templateColumns(TEMPLATE),
];

export const statefulSetColumns: readonly Column[] = [
  nameColumn,
  textColumn("Ready", (o) => `${number(o, "status", "readyReplicas")}/${number(o, "spec", "replicas")}`),
  ageColumn,
  ...templateColumns(TEMPLATE, false),
];

export const daemonSetColumns: readonly Column[] = [
  nameColumn,
  countColumn("Desired", (o) => number(o, "status", "desiredNumberScheduled")),
  countColumn("Current", (o) => number(o, "status", "currentNumberScheduled")),
  countColumn("Ready", (o) => number(o, "status", "numberReady")),
  countColumn("Up-to-date", (o) => number(o, "status", "updatedNumberScheduled")),
  countColumn("Available", (o) => number(o, "status", "numberAvailable")),
  textColumn("Node Selector", (o) =>
    commaSeparated(Object.entries(mapAt(o, ...TEMPLATE, "nodeSelector")).map(([key, value]) => `${key}=${value}`)),
  ),
  ageColumn,
  ...templateColumns(TEMPLATE),
];

export const controllerRevisionColumns: readonly Column[] = [
  nameColumn,
  textColumn("Controller", (o) => {
    const owner = listAt(o, "metadata", "ownerReferences").find((reference) => reference["controller"] === true);
    if (owner === undefined) return "<none>";
    const group = textAt(owner, "apiVersion").split("/").slice(0, -1).join("/");
    const kind = textAt(owner, "kind").toLowerCase();
    return `${group === "" ? kind : `${kind}.${group}`}/${textAt(owner, "name")}`;
  }),
  countColumn("Revision", (o) => number(o, "revision")),
  ageColumn,
];

export const jobColumns: readonly Column[] = [
  nameColumn,
  textColumn("Status", jobStatus),
  textColumn("Completions", (o) => {
    const wanted = numberAt(o, "spec", "completions");
    const parallelism = number(o, "spec", "parallelism");
    if (wanted !== undefined) return `${number(o, "status", "succeeded")}/${wanted}`;
    return `${number(o, "status", "succeeded")}/1${parallelism > 1 ? ` of ${parallelism}` : ""}`;
  }),
  textColumn("Duration", (o, now) => {
    const began = Date.parse(textAt(o, "status", "startTime"));
    if (Number.isNaN(began)) return "";
    const ended = Date.parse(textAt(o, "status", "completionTime"));
    return humanDuration((Number.isNaN(ended) ? now.getTime() : ended) - began);
  }),
  ageColumn,
  ...templateColumns(TEMPLATE),
];

export const cronJobColumns: readonly Column[] = [
  nameColumn,
  textColumn("Schedule", (o) => textAt(o, "spec", "schedule")),
  textColumn("Timezone", (o) => orNone(o, "spec", "timeZone")),
  textColumn("Suspend", (o) => (at(o, "spec", "suspend") === true ? "True" : "False")),
  countColumn("Active", (o) => listAt(o, "status", "active").length),
  textColumn("Last Schedule", (o, now) => {
    const last = at(o, "status", "lastScheduleTime");
    return last === undefined ? "<none>" : ageOf(last, now);
  }),
  ageColumn,
  ...templateColumns(["spec", "jobTemplate", "spec", "template", "spec"]),
];

function jobStatus(job: KubeObject): string {
  const holds = (type: string): boolean =>
    listAt(job, "status", "conditions").some(
      (condition) => condition["type"] === type && condition["status"] === "True",
    );
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  if (holds("Suspended")) return "Suspended";
  if (holds("FailureTarget")) return "FailureTarget";
  return holds("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}
