import { messageOf } from "../../../core/base/fault.ts";
import { copyOf, keyOf, type KubeObject } from "../object.ts";
import { markDeleted } from "../rest/delete.ts";
import { isFinished } from "../rest/write.ts";
import { sameJson } from "../schema/json.ts";
import type { World } from "../world.ts";
import { accepted, DEFINITIONS } from "./acceptance.ts";
import { CLEANUP_FINALIZER } from "./strategy.ts";
import { bucketOf, conditionHolds, resourcesOf } from "./definition.ts";

/** Serves what the definitions in the store define, from now on; a deleted definition takes its objects along. */
export function followDefinitions(world: World): void {
  for (const definition of world.store.list(DEFINITIONS)) {
    world.registry.define(definition.metadata.name, resourcesOf(definition));
    follow(world, definition);
  }
  world.store.subscribe((change) => {
    if (change.bucket === DEFINITIONS) {
      world.registry.define(change.key, change.type === "DELETED" ? [] : resourcesOf(change.object));
      if (change.type !== "DELETED") follow(world, change.object);
      return;
    }
    if (change.type !== "DELETED") return;
    const definition = world.store.get(DEFINITIONS, change.bucket);
    if (definition?.metadata.deletionTimestamp !== undefined) follow(world, definition);
  });
}

function follow(world: World, definition: KubeObject): void {
  const step = definition.metadata.deletionTimestamp === undefined ? accept : cleanUp;
  step(world, definition).catch((error: unknown) => {
    if (world.closing.aborted) return;
    world.log.error("a custom resource definition is stuck", {
      name: definition.metadata.name,
      error: messageOf(error),
    });
  });
}

async function accept(world: World, definition: KubeObject): Promise<void> {
  const next = accepted(world, definition);
  if (sameJson(next, definition)) return;
  await world.store.put(DEFINITIONS, definition.metadata.name, next, definition);
}

/** Removes the objects of a definition that is being deleted, then lets it go. */
async function cleanUp(world: World, definition: KubeObject): Promise<void> {
  if (!(definition.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER)) return;
  const { name } = definition.metadata;
  if (!conditionHolds(definition, "Terminating")) {
    await world.store.put(DEFINITIONS, name, accepted(world, definition), definition);
    return;
  }
  const bucket = bucketOf(definition);
  const [resource] = resourcesOf(definition);
  for (const object of resource === undefined ? [] : world.store.list(bucket)) {
    if (object.metadata.deletionTimestamp !== undefined || resource === undefined) continue;
    const options = { gracePeriodSeconds: 0, propagation: "", uid: "", resourceVersion: "", dryRun: false };
    const leaving = markDeleted(resource, object, options, world.clock.now());
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    await (isFinished(leaving)
      ? world.store.remove(bucket, key, object)
      : world.store.put(bucket, key, leaving, object));
  }
  const current = world.store.get(DEFINITIONS, name);
  if (current === undefined || world.store.list(bucket).length > 0) return;
  const next = copyOf(current);
  next.metadata.finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  await (isFinished(next)
    ? world.store.remove(DEFINITIONS, name, current)
    : world.store.put(DEFINITIONS, name, next, current));
}
