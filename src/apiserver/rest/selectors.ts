import { refusals, refuse } from "../faults.ts";
import { at, mapAt, type Json } from "../json.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resources/resource.ts";

/** True for the objects that a request selects. */
export type Selector = (object: KubeObject) => boolean;

/** The selector of `labelSelector` and `fieldSelector`; 400 when either cannot be read. */
export function selectorOf(resource: Resource, query: URLSearchParams): Selector {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const fields = parseFieldSelector(resource, query.get("fieldSelector") ?? "");
  return (object) => {
    const own = object.metadata.labels ?? {};
    return labels.every((matches) => matches(own)) && fields.every((matches) => matches(object));
  };
}

type LabelRule = (labels: Readonly<Record<string, string>>) => boolean;

/** The rules of a label selector such as `app=web,tier in (a,b),!canary`. */
export function parseLabelSelector(text: string): LabelRule[] {
  return splitOutsideBrackets(text).map(labelRule);
}

/** True when a LabelSelector object (matchLabels, matchExpressions) selects these labels. */
export function matchesLabelSelector(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const pairs = Object.entries(mapAt(selector, "matchLabels"));
  const expressions = at(selector, "matchExpressions");
  return (
    pairs.every(([key, value]) => labels[key] === value) &&
    (!Array.isArray(expressions) || expressions.every((expression: Json) => expressionHolds(expression, labels)))
  );
}

function labelRule(term: string): LabelRule {
  const set = /^([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(term);
  if (set !== null) {
    const [, key = "", operator, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    return operator === "in"
      ? (labels) => labels[key] !== undefined && values.includes(labels[key])
      : (labels) => labels[key] === undefined || !values.includes(labels[key]);
  }
  const equal = /^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$/.exec(term);
  if (equal !== null) {
    const [, key = "", operator, value] = equal;
    return operator === "!=" ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const exists = /^(!?)\s*([^\s!=,()]+)$/.exec(term);
  if (exists === null) throw refuse(refusals.badRequest, `unable to parse requirement: ${term}`);
  const [, not, key = ""] = exists;
  return not === "!" ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
}

function expressionHolds(expression: Json, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[String(expression["key"])];
  const values: unknown[] = Array.isArray(expression["values"]) ? expression["values"] : [];
  switch (expression["operator"]) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

/** Fields besides metadata.name and metadata.namespace that a selector may name, by bucket. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  events: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
  ],
  secrets: ["type"],
  services: ["spec.clusterIP", "spec.type"],
  namespaces: ["status.phase"],
  nodes: ["spec.unschedulable"],
  "jobs.batch": ["status.successful"],
  "replicasets.apps": ["status.replicas"],
};

function parseFieldSelector(resource: Resource, text: string): Selector[] {
  return splitOutsideBrackets(text).map((term) => {
    const found = /^([^!=]+)(==|=|!=)(.*)$/.exec(term);
    if (found === null) throw refuse(refusals.badRequest, `invalid field selector: ${term}`);
    const [, field = "", operator, wanted = ""] = found;
    if (!["metadata.name", "metadata.namespace", ...(SELECTABLE[resource.bucket] ?? [])].includes(field)) {
      const message = `Unable to find ${JSON.stringify(resource.kind)} that match label selector "", field selector ${JSON.stringify(text)}: field label not supported: ${field}`;
      throw refuse(refusals.badRequest, message);
    }
    const value = unescaped(wanted);
    return (object) => (fieldText(object, field) === value) === (operator !== "!=");
  });
}

function fieldText(object: KubeObject, field: string): string {
  if (field === "source") return String(at(object, "source", "component") ?? "");
  const renamed = field.replace(
    /^involvedObject/,
    at(object, "regarding") === undefined ? "involvedObject" : "regarding",
  );
  const value = at(object, ...renamed.split("."));
  return value === undefined || value === null ? "" : String(value);
}

function unescaped(value: string): string {
  return value.replace(/\\([\\,=])/g, "$1");
}

function splitOutsideBrackets(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== "");
}
