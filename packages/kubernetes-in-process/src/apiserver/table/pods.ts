import { at, listAt, numberAt, textAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, nameColumn, orNone, textColumn } from "./column.ts";
import { ageOf } from "./duration.ts";

/** The columns of `kubectl get pods`. */
export const podColumns: readonly Column[] = [
  nameColumn,
  textColumn("Ready", (pod) => {
    const statuses = listAt(pod, "status", "containerStatuses");
    return `${statuses.filter((status) => status["ready"] === true).length}/${listAt(pod, "spec", "containers").length}`;
  }),
  textColumn("Status", podReason),
  textColumn("Restarts", restarts),
  ageColumn,
  textColumn("IP", (pod) => orNone(pod, "status", "podIP"), 1),
  textColumn("Node", (pod) => orNone(pod, "spec", "nodeName"), 1),
  textColumn("Nominated Node", (pod) => orNone(pod, "status", "nominatedNodeName"), 1),
  textColumn("Readiness Gates", readinessGates, 1),
];

function podReason(pod: KubeObject): string {
  const general = textAt(pod, "status", "reason") || textAt(pod, "status", "phase") || "Unknown";
  const starting = initReason(pod);
  const reason = starting ?? containerReason(pod, general);
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  return textAt(pod, "status", "reason") === "NodeLost" ? "Unknown" : "Terminating";
}

/** What the first unfinished init container is at; undefined once all are done. */
function initReason(pod: KubeObject): string | undefined {
  const specs = listAt(pod, "spec", "initContainers");
  const statuses = listAt(pod, "status", "initContainerStatuses");
  for (const [index, status] of statuses.entries()) {
    const sidecar = specs.find((spec) => spec["name"] === status["name"])?.["restartPolicy"] === "Always";
    if (numberAt(status, "state", "terminated", "exitCode") === 0) continue;
    if (sidecar && status["started"] === true) continue;
    const ended = endReason(status);
    if (ended !== undefined) return `Init:${ended}`;
    const waiting = textAt(status, "state", "waiting", "reason");
    if (waiting !== "" && waiting !== "PodInitializing") return `Init:${waiting}`;
    return `Init:${index}/${specs.length}`;
  }
  return undefined;
}

function containerReason(pod: KubeObject, general: string): string {
  const statuses = listAt(pod, "status", "containerStatuses").toReversed();
  let reason = general;
  for (const status of statuses) reason = textAt(status, "state", "waiting", "reason") || (endReason(status) ?? reason);
  const running = statuses.some((status) => status["ready"] === true && at(status, "state", "running") !== undefined);
  if (reason !== "Completed" || !running) return reason;
  return listAt(pod, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True")
    ? "Running"
    : "NotReady";
}

function endReason(status: Json): string | undefined {
  if (at(status, "state", "terminated") === undefined) return undefined;
  const signal = numberAt(status, "state", "terminated", "signal") ?? 0;
  const code = numberAt(status, "state", "terminated", "exitCode") ?? 0;
  return textAt(status, "state", "terminated", "reason") || (signal === 0 ? `ExitCode:${code}` : `Signal:${signal}`);
}

function restarts(pod: KubeObject, now: Date): string {
  const statuses = listAt(pod, "status", "containerStatuses");
  const total = statuses.reduce((sum, status) => sum + (numberAt(status, "restartCount") ?? 0), 0);
  const last = statuses
    .map((status) => textAt(status, "lastState", "terminated", "finishedAt"))
    .filter((instant) => instant !== "")
    .sort()
    .at(-1);
  return total === 0 || last === undefined ? String(total) : `${total} (${ageOf(last, now)} ago)`;
}

function readinessGates(pod: KubeObject): string {
  const gates = listAt(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  const conditions = listAt(pod, "status", "conditions");
  const met = gates.filter((gate) =>
    conditions.some(({ type, status }) => type === gate["conditionType"] && status === "True"),
  );
  return `${met.length}/${gates.length}`;
}
