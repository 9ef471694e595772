import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { admitDelete, precondition } from "../admission/admit.ts";
import { callWebhooks } from "../admission/webhooks.ts";
import { conflictError, notFoundError, apiErrors, apiError } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import type { ApiCall } from "../http/call.ts";
import { jsonAt, numberAt, textAt, textsAt, type Json } from "../objects/json.ts";
import { copyOf, storeKey, type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { sameJson } from "../schema/json.ts";
import type { ServerContext } from "../context/server-context.ts";
import { requestSelector } from "./selectors.ts";
import { servedShape } from "./shape.ts";
import { isFinished, type ResolvedTarget } from "./write.ts";

/** What a DELETE asks for, from its body and its parameters. */
export interface DeletionRequest {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly dryRun: boolean;
}

/** Deletes the object that `place` names; gives its last state, and whether it is gone already. */
export async function remove(
  context: ServerContext,
  call: ApiCall,
  { resource, target }: ResolvedTarget,
  options: DeletionRequest,
): Promise<{ object: KubeObject; gone: boolean }> {
  const key = storeKey(target.namespace, target.name ?? "");
  for (let attempt = 0; attempt < 8; attempt++) {
    const stored = context.store.get(resource.bucket, key);
    if (stored === undefined) throw notFoundError(resource, target.name ?? "");
    const live = servedShape(resource, stored);
    precondition(resource, live, options);
    admitDelete(resource, live);
    await callWebhooks(context, { resource, target, object: undefined, before: live, operation: "DELETE", call });
    const leaving = markDeleted(resource, stored, options, context.clock.now());
    const gone = isFinished(leaving) && resource.bucket !== "namespaces";
    if (options.dryRun) return { object: servedShape(resource, leaving), gone };
    if (!gone && sameJson(leaving, stored)) return { object: live, gone };
    const written = gone
      ? context.store.remove(resource.bucket, key, stored)
      : context.store.put(resource.bucket, key, leaving, stored);
    if (written !== undefined) return { object: servedShape(resource, await written), gone };
  }
  throw conflictError(resource, target.name ?? "", "the object changes too often to be deleted; please try again");
}

/** Deletes everything that the request selects; gives the list of what was deleted. */
export async function removeAll(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
  options: DeletionRequest,
): Promise<KubeObject[]> {
  const { resource, target } = resolved;
  const selects = requestSelector(resource, call.query);
  const prefix = target.namespace === undefined ? "" : `${target.namespace}/`;
  const doomed = context.store
    .list(resource.bucket, prefix)
    .map((stored) => servedShape(resource, stored))
    .filter(selects);
  await Promise.all(
    doomed.map(({ metadata: { name, namespace } }) =>
      remove(context, call, { resource, target: { ...target, name, namespace } }, options),
    ),
  );
  return doomed;
}

/** The options of a DELETE request; 422 for a propagation policy that does not exist. */
export async function deletionRequestOf(call: ApiCall): Promise<DeletionRequest> {
  const body = await readBody(call.request);
  const sent = body.length === 0 ? {} : decodeBody(body, mediaTypeOf(call.request.headers["content-type"]));
  const { query } = call;
  const grace = query.get("gracePeriodSeconds");
  const orphans = query.get("orphanDependents") ?? jsonAt(sent)["orphanDependents"];
  const propagation =
    query.get("propagationPolicy") ?? (textAt(sent, "propagationPolicy") || legacyPropagation(orphans));
  if (!["", "Background", "Foreground", "Orphan"].includes(propagation)) {
    throw apiError(
      apiErrors.invalid,
      `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: ${JSON.stringify(propagation)}: supported values: "Background", "Foreground", "Orphan"`,
    );
  }
  return {
    gracePeriodSeconds: grace === null ? numberAt(sent, "gracePeriodSeconds") : Number(grace),
    propagation,
    uid: textAt(sent, "preconditions", "uid"),
    resourceVersion: textAt(sent, "preconditions", "resourceVersion"),
    dryRun: query.getAll("dryRun").includes("All") || textsAt(sent, "dryRun").includes("All"),
  };
}

/** `stored` as a delete leaves it: marked, with the finalizers that the propagation policy asks for. */
export function markDeleted(resource: Resource, stored: KubeObject, options: DeletionRequest, now: Date): KubeObject {
  const object = copyOf(stored);
  const { metadata } = object;
  const finalizers = propagationFinalizers(metadata.finalizers ?? [], options.propagation);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const grace = graceOf(resource, object, options.gracePeriodSeconds);
  const first = metadata.deletionTimestamp === undefined;
  if (first || grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionTimestamp = timestamp(new Date(now.getTime() + grace * 1000));
    metadata.deletionGracePeriodSeconds = grace;
  }
  if (first && metadata.generation !== undefined) metadata.generation += 1;
  if (resource.bucket === "namespaces") object["status"] = { ...jsonAt(object, "status"), phase: "Terminating" };
  return object;
}

/** Pods alone end gracefully, and only while something may still be running. */
function graceOf(resource: Resource, object: Json, asked: number | undefined): number {
  if (resource.bucket !== "pods") return 0;
  const idle =
    textAt(object, "spec", "nodeName") === "" || ["Succeeded", "Failed"].includes(textAt(object, "status", "phase"));
  return idle ? 0 : Math.max(0, asked ?? numberAt(object, "spec", "terminationGracePeriodSeconds") ?? 30);
}

function propagationFinalizers(finalizers: readonly string[], propagation: string): string[] {
  const others = finalizers.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  switch (propagation) {
    case "Foreground":
      return [...others, "foregroundDeletion"];
    case "Orphan":
      return [...others, "orphan"];
    case "Background":
      return others;
    default:
      return [...finalizers];
  }
}

function legacyPropagation(orphans: unknown): string {
  if (orphans === undefined || orphans === null) return "";
  return orphans === true || orphans === "true" ? "Orphan" : "Background";
}
