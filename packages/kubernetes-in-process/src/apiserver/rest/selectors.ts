import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { parseSelector } from "../../../../controller-kit/src/kube/selector-text.ts";
import { meetsAll } from "../../../../controller-kit/src/kube/selector.ts";
import { apiErrors, apiError } from "../faults.ts";
import { at } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";

/** True for the objects that a request selects. */
export type ObjectPredicate = (object: KubeObject) => boolean;

/** The selector of `labelSelector` and `fieldSelector`; 400 when either cannot be read. */
export function requestSelector(resource: Resource, query: URLSearchParams): ObjectPredicate {
  const requirements = labelRequirements(query.get("labelSelector") ?? "");
  const fields = parseFieldSelector(resource, query.get("fieldSelector") ?? "");
  return (object) => meetsAll(requirements, object.metadata.labels) && fields.every((matches) => matches(object));
}

function labelRequirements(text: string): ReturnType<typeof parseSelector> {
  try {
    return parseSelector(text);
  } catch (error) {
    throw apiError(apiErrors.badRequest, messageOf(error));
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

function parseFieldSelector(resource: Resource, text: string): ObjectPredicate[] {
  return text
    .split(/(?<!\\),/)
    .filter(Boolean)
    .map((term) => {
      const found = /^([^!=]+)(==|=|!=)(.*)$/.exec(term);
      if (found === null) throw apiError(apiErrors.badRequest, `invalid field selector: ${term}`);
      const [, field = "", operator, wanted = ""] = found;
      if (!["metadata.name", "metadata.namespace", ...(SELECTABLE[resource.bucket] ?? [])].includes(field)) {
        const message = `Unable to find ${JSON.stringify(resource.kind)} that match label selector "", field selector ${JSON.stringify(text)}: field label not supported: ${field}`;
        throw apiError(apiErrors.badRequest, message);
      }
      const value = unescapeValue(wanted);
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

function unescapeValue(value: string): string {
  return value.replace(/\\([\\,=])/g, "$1");
}
