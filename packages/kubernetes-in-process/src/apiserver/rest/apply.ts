import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { authorize } from "../auth/authorize.ts";
import type { ServerContext } from "../context/server-context.ts";
import { apiErrors, apiError, type StatusCause } from "../faults.ts";
import type { ApiCall } from "../http/call.ts";
import { isJson } from "../objects/json.ts";
import { storeKey, type KubeObject } from "../objects/object.ts";
import { describeConflicts } from "../patch/apply-messages.ts";
import type { ApplyConflict } from "../patch/outcome.ts";
import { serverSideApply } from "../patch/server-side-apply.ts";
import { serves } from "../resources/resource.ts";
import { asObject, objectFrom, sameUid } from "./shape.ts";
import { changeTarget, create, type Changed, type ResolvedTarget } from "./write.ts";

/** Carries out a server-side apply; the code is 201 when it made the object. */
export async function applyConfiguration(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
  body: unknown,
): Promise<{ code: number; object: KubeObject }> {
  const { resource, target } = resolved;
  const manager = managerOf(call);
  const applied = appliedObject(resolved, body);
  const now = context.clock.now();
  const applyTo = (live: KubeObject | undefined): Changed => applyOver(live, { call, resolved, applied, manager, now });
  const key = storeKey(target.namespace, target.name ?? "");
  const exists = context.store.get(resource.bucket, key) !== undefined;
  if (exists || target.subresource !== undefined)
    return { code: 200, object: await changeTarget(context, call, resolved, applyTo) };
  // what makes an object needs the right to create it, however it is sent
  authorize(context, call.user, { ...target, verb: "create" });
  try {
    return { code: 201, object: await create(context, call, resolved, applyTo(undefined).object, true) };
  } catch (error) {
    const raced = error instanceof Fault && error.code === apiErrors.alreadyExists.code;
    if (!raced) throw error;
    return { code: 200, object: await changeTarget(context, call, resolved, applyTo) };
  }
}

function managerOf({ query }: ApiCall): string {
  const manager = query.get("fieldManager") ?? "";
  if (manager !== "") return manager;
  const cause = { reason: "FieldValueRequired", field: "fieldManager", message: "is required for apply patch" };
  throw apiError(
    apiErrors.invalid,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    { causes: [cause] },
  );
}

interface Application {
  readonly call: ApiCall;
  readonly resolved: ResolvedTarget;
  readonly applied: KubeObject;
  readonly manager: string;
  readonly now: Date;
}

function applyOver(live: KubeObject | undefined, application: Application): Changed {
  const { call, resolved, applied, manager, now } = application;
  const { resource, target } = resolved;
  const result = serverSideApply({
    live,
    applied,
    manager,
    force: ["true", "1"].includes(call.query.get("force") ?? ""),
    schema: resource.schema(),
    now,
    ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
    resets: serves(resource, "status") ? ["status"] : [],
  });
  switch (result.kind) {
    case "applied":
      if (live === undefined) return { object: asObject(result.object), tracked: true };
      return {
        object: result.object === live ? live : sameUid(resource, live, asObject(result.object)),
        tracked: true,
      };
    case "conflict":
      throw conflictError(result.conflicts);
    case "failed":
      throw apiError(apiErrors.badRequest, result.message);
  }
}

function appliedObject({ resource, target }: ResolvedTarget, body: unknown): KubeObject {
  if (!isJson(body) || body["apiVersion"] === undefined || body["kind"] === undefined) {
    throw apiError(apiErrors.badRequest, "an applied object needs apiVersion and kind");
  }
  const object = objectFrom(resource, body);
  const { name, namespace } = object.metadata;
  requireMatch("name", name, target.name);
  requireMatch("namespace", namespace, target.namespace ?? namespace);
  const metadata = { ...object.metadata, name: target.name ?? "" };
  if (resource.namespaced && target.namespace !== undefined) metadata.namespace = target.namespace;
  return { ...object, metadata };
}

/** An object that leaves it out has that of the request. */
function requireMatch(field: string, given: string | undefined, requested: string | undefined): void {
  if (given === undefined || given === "" || given === requested) return;
  throw apiError(
    apiErrors.badRequest,
    `metadata.${field} of the applied object (${given}) does not match the ${field} of the request`,
  );
}

function conflictError(conflicts: readonly ApplyConflict[]): Fault {
  const causes: StatusCause[] = conflicts.map(({ manager, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${manager}`,
    field,
  }));
  return apiError(apiErrors.conflict, describeConflicts(conflicts), { causes });
}
