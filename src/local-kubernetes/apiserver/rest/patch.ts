import { Fault } from "../../../core/base/fault.ts";
import { authorize } from "../auth/authorize.ts";
import { invalidError, apiErrors, apiError, type StatusCause } from "../faults.ts";
import { decodeBody, mediaTypeOf, readBody } from "../http/body.ts";
import type { ApiCall } from "../http/call.ts";
import { isJson, type Json } from "../objects/json.ts";
import { storeKey, type KubeObject } from "../objects/object.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicPatch } from "../patch/strategic-patch.ts";
import { describeConflicts } from "../patch/apply-messages.ts";
import { serverSideApply } from "../patch/server-side-apply.ts";
import type { ApplyConflict, PatchOutcome } from "../patch/outcome.ts";
import { serves } from "../resources/resource.ts";
import type { ServerContext } from "../context/server-context.ts";
import { asObject, objectFrom } from "./shape.ts";
import { change, create, type Changed, type ResolvedTarget } from "./write.ts";

/** Carries out a PATCH; the code is 201 when a server-side apply made the object. */
export async function patch(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
): Promise<{ code: number; object: KubeObject }> {
  const mediaType = mediaTypeOf(call.request.headers["content-type"]);
  const body = decodeBody(await readBody(call.request), mediaType);
  if (mediaType === "application/apply-patch+yaml") return apply(context, call, resolved, body);
  if (!patchTypes(resolved.resource).includes(mediaType)) throw unsupported(mediaType);
  const object = await change(context, call, resolved, (live) => ({
    object: sameUid(resolved, live, asObject(patched(resolved, mediaType, live, body))),
    tracked: false,
  }));
  return { code: 200, object };
}

/** `live` after a JSON, merge or strategic patch; 415 for other types. */
export function patched(
  { resource }: Pick<ResolvedTarget, "resource">,
  mediaType: string,
  live: Json,
  body: unknown,
): Json {
  switch (mediaType) {
    case "application/json-patch+json":
      return outcome(applyJsonPatch(live, body));
    case "application/merge-patch+json":
      return applyMergePatch(live, objectBody(body));
    case "application/strategic-merge-patch+json":
      return outcome(applyStrategicPatch(live, objectBody(body), resource.schema()));
    default:
      throw unsupported(mediaType);
  }
}

async function apply(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
  body: unknown,
): Promise<{ code: number; object: KubeObject }> {
  const { resource, target } = resolved;
  const manager = call.query.get("fieldManager") ?? "";
  if (manager === "") {
    const cause = { reason: "FieldValueRequired", field: "fieldManager", message: "is required for apply patch" };
    throw apiError(
      apiErrors.invalid,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      { causes: [cause] },
    );
  }
  const applied = appliedObject(resolved, body);
  const applyTo = (live: KubeObject | undefined): Changed => {
    const result = serverSideApply({
      live,
      applied,
      manager,
      force: ["true", "1"].includes(call.query.get("force") ?? ""),
      schema: resource.schema(),
      now: context.clock.now(),
      ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
      resets: serves(resource, "status") ? ["status"] : [],
    });
    switch (result.kind) {
      case "applied":
        if (live === undefined) return { object: asObject(result.object), tracked: true };
        return {
          object: result.object === live ? live : sameUid(resolved, live, asObject(result.object)),
          tracked: true,
        };
      case "conflict":
        throw conflicted(result.conflicts);
      case "failed":
        throw apiError(apiErrors.badRequest, result.message);
    }
  };

  const key = storeKey(target.namespace, target.name ?? "");
  const exists = context.store.get(resource.bucket, key) !== undefined;
  if (exists || target.subresource !== undefined)
    return { code: 200, object: await change(context, call, resolved, applyTo) };
  // what makes an object needs the right to create it, however it is sent
  authorize(context, call.user, { ...target, verb: "create" });
  try {
    return { code: 201, object: await create(context, call, resolved, applyTo(undefined).object, true) };
  } catch (error) {
    const raced = error instanceof Fault && error.code === apiErrors.alreadyExists.code;
    if (!raced) throw error;
    return { code: 200, object: await change(context, call, resolved, applyTo) };
  }
}

/** Lists of a custom resource have no merge keys that a strategic patch could know. */
function patchTypes({ custom }: ResolvedTarget["resource"]): string[] {
  const plain = ["application/json-patch+json", "application/merge-patch+json"];
  return custom ? plain : [...plain, "application/strategic-merge-patch+json"];
}

/** 422 for a patch that gives an object another uid; a replacement with one is a conflict instead. */
function sameUid({ resource }: ResolvedTarget, live: KubeObject, object: KubeObject): KubeObject {
  const { uid } = object.metadata;
  if (uid === undefined || uid === live.metadata.uid) return object;
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  throw invalidError(resource, live.metadata.name, [{ reason: "FieldValueInvalid", field: "metadata.uid", message }]);
}

function appliedObject({ resource, target }: ResolvedTarget, body: unknown): KubeObject {
  if (!isJson(body) || body["apiVersion"] === undefined || body["kind"] === undefined) {
    throw apiError(apiErrors.badRequest, "an applied object needs apiVersion and kind");
  }
  const object = objectFrom(resource, body);
  const { name, namespace } = object.metadata;
  if (name !== "" && name !== target.name) {
    throw apiError(
      apiErrors.badRequest,
      `metadata.name of the applied object (${name}) does not match the name of the request`,
    );
  }
  if (namespace !== undefined && namespace !== "" && namespace !== (target.namespace ?? namespace)) {
    throw apiError(
      apiErrors.badRequest,
      `metadata.namespace of the applied object (${namespace}) does not match the namespace of the request`,
    );
  }
  const metadata = { ...object.metadata, name: target.name ?? "" };
  if (resource.namespaced && target.namespace !== undefined) metadata.namespace = target.namespace;
  return { ...object, metadata };
}

function outcome(result: PatchOutcome): Json {
  if (result.kind === "patched") return { ...result.object };
  switch (result.why) {
    case "malformed":
      throw apiError(apiErrors.badRequest, result.message);
    case "unprocessable":
      throw apiError(apiErrors.invalid, result.message);
    case "tooLarge":
      throw apiError(apiErrors.tooLarge, result.message);
  }
}

function conflicted(conflicts: readonly ApplyConflict[]): Fault {
  const causes: StatusCause[] = conflicts.map(({ manager, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${manager}`,
    field,
  }));
  return apiError(apiErrors.conflict, describeConflicts(conflicts), { causes });
}

function objectBody(body: unknown): Json {
  if (isJson(body)) return body;
  throw apiError(apiErrors.badRequest, "the patch is no object");
}

function unsupported(mediaType: string): Fault {
  const supported = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
  const message = `the body of the request was in an unknown format - accepted media types include: ${supported} (not ${mediaType})`;
  return apiError(apiErrors.unsupportedMediaType, message);
}
