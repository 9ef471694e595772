import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { conflictError, apiErrors, apiError } from "../faults.ts";
import type { Target } from "../http/target.ts";
import { copyOf, type KubeObject } from "../objects/object.ts";
import { serves, type Resource } from "../resources/resource.ts";
import { sameJson } from "../schema/json.ts";
import type { ServerContext } from "../context/server-context.ts";
import { generatedName, newUid } from "../objects/generated-names.ts";

/** Why a write that rests on an old version is refused. */
export const STALE = "the object has been modified; please apply your changes to the latest version and try again";

/** 400 for another name than the live object's, 409 for another uid or a resourceVersion that is not the current one. */
export function checkPrecondition(resource: Resource, live: KubeObject, next: KubeObject): void {
  const { name, uid, resourceVersion } = next.metadata;
  if (name !== live.metadata.name) {
    throw apiError(
      apiErrors.badRequest,
      `the name of the object (${name}) does not match the name on the URL (${live.metadata.name})`,
    );
  }
  if (uid !== undefined && uid !== "" && uid !== live.metadata.uid) {
    throw conflictError(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid ?? ""}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== live.metadata.resourceVersion) {
    throw conflictError(resource, name, STALE);
  }
}

/** Gives a new object what the server alone decides: name from generateName, namespace, uid, creation time. */
export function beginMetadata(context: ServerContext, resource: Resource, target: Target, draft: KubeObject): void {
  const { metadata } = draft;
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== "") {
    throw apiError(apiErrors.badRequest, "resourceVersion should not be set on objects to be created");
  }
  if (resource.namespaced) metadata.namespace = namespaceFor(metadata.namespace, target);
  else delete metadata.namespace;
  if (metadata.name === "" && typeof metadata.generateName === "string" && metadata.generateName !== "") {
    metadata.name = generatedName(metadata.generateName);
  }
  for (const field of [
    "resourceVersion",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "generation",
  ]) {
    delete metadata[field];
  }
  metadata.uid = newUid();
  metadata.creationTimestamp = timestamp(context.clock.now());
  if (resource.counted) metadata.generation = 1;
}

/** What of the metadata no update may change. */
export function keepMetadata(draft: KubeObject, live: KubeObject): void {
  const { metadata } = draft;
  for (const field of [
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "generateName",
    "resourceVersion",
  ]) {
    if (live.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = live.metadata[field];
  }
  delete metadata["selfLink"];
  metadata.managedFields ??= live.metadata.managedFields ?? [];
}

/** The live object with the status of the draft: what a write to the status subresource comes to. */
export function statusOnly(draft: KubeObject, live: KubeObject): KubeObject {
  const kept = copyOf(live);
  kept["status"] = draft["status"];
  if (kept["status"] === undefined) delete kept["status"];
  if (draft.metadata.managedFields !== undefined) kept.metadata.managedFields = draft.metadata.managedFields;
  return kept;
}

/** The draft with the status of the live object, when that has a subresource of its own. */
export function specOnly(resource: Resource, draft: KubeObject, live: KubeObject, target: Target): KubeObject {
  if (!serves(resource, "status") || target.subresource === "finalize") return draft;
  if (live["status"] === undefined) delete draft["status"];
  else draft["status"] = copyOf(live["status"]);
  return draft;
}

/** Counts a change of anything but metadata and status. */
export function countGeneration(resource: Resource, draft: KubeObject, live: KubeObject): void {
  if (!resource.counted || sameJson(countedFields(resource, draft), countedFields(resource, live))) return;
  draft.metadata.generation = (live.metadata.generation ?? 0) + 1;
}

function countedFields(resource: Resource, object: KubeObject): Record<string, unknown> {
  const status = serves(resource, "status") ? ["status"] : [];
  const uncounted = ["apiVersion", "kind", "metadata", ...status];
  return Object.fromEntries(Object.entries(object).filter(([field]) => !uncounted.includes(field)));
}

function namespaceFor(given: string | undefined, target: Target): string {
  const wanted = target.namespace ?? "";
  if (wanted === "")
    throw apiError(apiErrors.badRequest, "an empty namespace may not be set when a resource name is provided");
  if (given === undefined || given === "" || given === wanted) return wanted;
  throw apiError(
    apiErrors.badRequest,
    "the namespace of the provided object does not match the namespace sent on the request",
  );
}
