import { invalidError, apiErrors, apiError } from "../faults.ts";
import { at, childOf, isJson, jsonAt, numberAt, type Json } from "../objects/json.ts";
import { joinApiVersion, copyOf, type KubeObject, type Metadata } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { printedSelector } from "../table/column.ts";

/** The Scale of an object: how many replicas it should have, and has. */
export function scaleOf(resource: Resource, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = resource.scale ?? { spec: ".spec.replicas", status: ".status.replicas" };
  const selector = paths.selector === undefined ? undefined : at(object, ...stepsOf(paths.selector));
  const wanted = numberAt(object, ...stepsOf(paths.spec)) ?? 0;
  const text = typeof selector === "string" ? selector : isJson(selector) ? printedSelector(selector) : "";
  const metadata: Metadata = { name };
  for (const [field, value] of Object.entries({ namespace, uid, resourceVersion, creationTimestamp })) {
    if (value !== undefined) metadata[field] = value;
  }
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata,
    spec: wanted === 0 ? {} : { replicas: wanted }, // as every zero of that kind
    status: {
      replicas: numberAt(object, ...stepsOf(paths.status)) ?? 0,
      ...(text === "" || text === "<none>" ? {} : { selector: text }),
    },
  };
}

/** `object` with the replicas that `scale` asks for. */
export function withReplicas(resource: Resource, object: KubeObject, scale: Json): KubeObject {
  const replicas = numberAt(scale, "spec", "replicas") ?? 0;
  if (!Number.isInteger(replicas) || replicas < 0) {
    const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
    throw invalidError({ group: "autoscaling", kind: "Scale" }, object.metadata.name, [
      { reason: "FieldValueInvalid", field: "spec.replicas", message },
    ]);
  }
  const version = at(scale, "metadata", "resourceVersion");
  const next = copyOf(object);
  if (typeof version === "string" && version !== "") next.metadata.resourceVersion = version;
  const steps = stepsOf(resource.scale?.spec ?? ".spec.replicas");
  let parent: Json = next;
  for (const step of steps.slice(0, -1)) parent = childOf(parent, step);
  parent[steps.at(-1) ?? "replicas"] = replicas;
  return next;
}

/** The Scale in a body; 400 for anything else. */
export function scaleFrom(body: unknown): Json {
  const scale = jsonAt(body);
  if (scale["kind"] === undefined || scale["kind"] === "Scale") return scale;
  throw apiError(apiErrors.badRequest, `the body is no ${joinApiVersion("autoscaling", "v1")} Scale`);
}

function stepsOf(path: string): string[] {
  return path.split(".").filter((step) => step !== "");
}
