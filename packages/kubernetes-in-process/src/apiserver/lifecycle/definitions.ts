import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { copyOf, storeKey, type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { markDeleted } from "../rest/delete.ts";
import { isFinished } from "../rest/write.ts";
import { sameJson } from "../schema/json.ts";
import type { ServerContext } from "../context/server-context.ts";
import { acceptDefinition, DEFINITIONS } from "../crd/acceptance.ts";
import { CLEANUP_FINALIZER } from "../crd/strategy.ts";
import { bucketOf, hasCondition, resourcesOf } from "../crd/definition.ts";

/** Serves what the definitions in the store define, from now on; a deleted definition takes its objects along. */
export function followDefinitions(context: ServerContext): void {
  for (const definition of context.store.list(DEFINITIONS)) {
    context.registry.define(definition.metadata.name, resourcesOf(definition));
    follow(context, definition);
  }
  context.store.subscribe((change) => {
    if (change.bucket === DEFINITIONS) {
      context.registry.define(change.key, change.type === "DELETED" ? [] : resourcesOf(change.object));
      if (change.type !== "DELETED") follow(context, change.object);
      return;
    }
    if (change.type !== "DELETED") return;
    const definition = context.store.get(DEFINITIONS, change.bucket);
    if (definition?.metadata.deletionTimestamp !== undefined) follow(context, definition);
  });
}

function follow(context: ServerContext, definition: KubeObject): void {
  const step = definition.metadata.deletionTimestamp === undefined ? accept : cleanUp;
  step(context, definition).catch((error: unknown) => {
    if (context.closing.aborted) return;
    context.log.error("a custom resource definition is stuck", {
      name: definition.metadata.name,
      error: messageOf(error),
    });
  });
}

async function accept(context: ServerContext, definition: KubeObject): Promise<void> {
  const next = acceptDefinition(context, definition);
  if (sameJson(next, definition)) return;
  await context.store.put(DEFINITIONS, definition.metadata.name, next, definition);
}

/** Removes the objects of a definition that is being deleted, then removes its finalizer. */
async function cleanUp(context: ServerContext, definition: KubeObject): Promise<void> {
  if (!(definition.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER)) return;
  const { name } = definition.metadata;
  if (!hasCondition(definition, "Terminating")) {
    await context.store.put(DEFINITIONS, name, acceptDefinition(context, definition), definition);
    return;
  }
  const bucket = bucketOf(definition);
  const [resource] = resourcesOf(definition);
  if (resource !== undefined) await deleteAll(context, resource, bucket);
  const current = context.store.get(DEFINITIONS, name);
  if (current === undefined || context.store.list(bucket).length > 0) return;
  const next = copyOf(current);
  next.metadata.finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  await (isFinished(next)
    ? context.store.remove(DEFINITIONS, name, current)
    : context.store.put(DEFINITIONS, name, next, current));
}

/** Deletes each object of a kind whose definition goes. */
async function deleteAll({ store, clock }: ServerContext, resource: Resource, bucket: string): Promise<void> {
  for (const object of store.list(bucket)) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const options = { gracePeriodSeconds: 0, propagation: "", uid: "", resourceVersion: "", dryRun: false };
    const leaving = markDeleted(resource, object, options, clock.now());
    const key = storeKey(object.metadata.namespace, object.metadata.name);
    await (isFinished(leaving) ? store.remove(bucket, key, object) : store.put(bucket, key, leaving, object));
  }
}
