import { admit } from "../admission/admit.ts";
import { callWebhooks } from "../admission/webhooks.ts";
import { conflictError, notFoundError, qualifiedResource, apiErrors, apiError } from "../faults.ts";
import { isDryRun, type ApiCall } from "../http/call.ts";
import type { Target } from "../http/target.ts";
import { storeKey, type KubeObject } from "../objects/object.ts";
import { trackUpdate } from "../patch/track-update.ts";
import { serves, type Resource } from "../resources/resource.ts";
import { sameJson } from "../schema/json.ts";
import type { ServerContext } from "../context/server-context.ts";
import {
  beginMetadata,
  checkPrecondition,
  countGeneration,
  keepMetadata,
  specOnly,
  STALE,
  statusOnly,
} from "./metadata.ts";
import { completeObject, requireValid } from "./prepare.ts";
import { servedShape, storable } from "./shape.ts";

/** Where a write goes: the resource and what the request says about the object. */
export interface ResolvedTarget {
  readonly resource: Resource;
  readonly target: Target;
}

/** What a change makes of an object. */
export interface Changed {
  readonly object: KubeObject;
  /** True when the object's managedFields are already right, as after server-side apply. */
  readonly tracked: boolean;
}

const ATTEMPTS = 8;

/** Creates `object`; 409 when the name is taken. `tracked` as in Changed. */
export async function create(
  context: ServerContext,
  call: ApiCall,
  { resource, target }: ResolvedTarget,
  object: KubeObject,
  tracked = false,
): Promise<KubeObject> {
  const draft = completeObject(call, resource, object);
  beginMetadata(context, resource, target, draft);
  if (serves(resource, "status")) delete draft["status"];
  if (!tracked) track(context, call, resource, undefined, draft, undefined);
  resource.strategy.begin?.(draft);
  admit(context, { resource, object: draft, before: undefined, call });
  requireValid(resource, draft, undefined);
  await callWebhooks(context, { resource, target, object: draft, before: undefined, operation: "CREATE", call });
  if (isDryRun(call.query)) return draft;

  const key = storeKey(draft.metadata.namespace, draft.metadata.name);
  const stored = context.store.put(resource.bucket, key, storable(resource, draft), undefined);
  if (stored === undefined) throw alreadyExists(resource, draft.metadata.name);
  return servedShape(resource, await stored);
}

/**
 * Changes the object that `target` names by `compute`, again when another write comes between. A resourceVersion in the
 * result must be the current one, else 409.
 */
export async function changeTarget(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
  compute: (live: KubeObject) => Changed,
): Promise<KubeObject> {
  const { resource, target } = resolved;
  const name = target.name ?? "";
  const key = storeKey(target.namespace, name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = context.store.get(resource.bucket, key);
    if (stored === undefined) throw notFoundError(resource, name);
    const live = servedShape(resource, stored);
    const changed = compute(live);
    if (changed.object === live) return live;
    checkPrecondition(resource, live, changed.object);
    const next = await admitUpdate(context, call, resolved, live, changed);
    if (sameJson(next, live) || isDryRun(call.query)) return next;
    const written = write(context, resource, key, next, stored);
    if (written !== undefined) return servedShape(resource, await written);
  }
  throw conflictError(resource, name, STALE);
}

/** True when nothing holds a deleted object back any more. */
export function isFinished(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function write(
  context: ServerContext,
  resource: Resource,
  key: string,
  next: KubeObject,
  stored: KubeObject,
): Promise<KubeObject> | undefined {
  // a namespace also waits for its own list of finalizers, which the finalize subresource empties
  const done = isFinished(next) && resource.bucket !== "namespaces";
  if (done) return context.store.remove(resource.bucket, key, stored);
  return context.store.put(resource.bucket, key, storable(resource, next), stored);
}

async function admitUpdate(
  context: ServerContext,
  call: ApiCall,
  { resource, target }: ResolvedTarget,
  live: KubeObject,
  { object, tracked }: Changed,
): Promise<KubeObject> {
  const draft = completeObject(call, resource, object);
  keepMetadata(draft, live);
  const kept = target.subresource === "status" ? statusOnly(draft, live) : specOnly(resource, draft, live, target);
  if (!tracked) track(context, call, resource, live, kept, target.subresource);
  countGeneration(resource, kept, live);
  if (sameJson(kept, live)) return live;
  if (target.subresource !== "status") admit(context, { resource, object: kept, before: live, call });
  requireValid(resource, kept, live);
  await callWebhooks(context, { resource, target, object: kept, before: live, operation: "UPDATE", call });
  return kept;
}

function track(
  context: ServerContext,
  call: ApiCall,
  resource: Resource,
  before: KubeObject | undefined,
  after: KubeObject,
  subresource: string | undefined,
): void {
  const managedFields = trackUpdate({
    before,
    after,
    manager: managerOf(call),
    now: context.clock.now(),
    schema: resource.schema(),
    ...(subresource === undefined ? {} : { subresource }),
  });
  if (managedFields.length === 0) delete after.metadata.managedFields;
  else after.metadata.managedFields = managedFields.map((entry) => ({ ...entry }));
}

/** The manager of a write: the fieldManager parameter, else the name of the client program. */
function managerOf(call: ApiCall): string {
  const named = call.query.get("fieldManager") ?? "";
  const agent = call.request.headers["user-agent"] ?? "";
  return (named === "" ? (agent.split("/")[0] ?? "") : named).slice(0, 128) || "unknown";
}

function alreadyExists(resource: Resource, name: string): Error {
  const about = { name, group: resource.group, kind: resource.plural };
  return apiError(
    apiErrors.alreadyExists,
    `${qualifiedResource(resource)} ${JSON.stringify(name)} already exists`,
    about,
  );
}
