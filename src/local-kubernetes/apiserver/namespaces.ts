import { messageOf } from "../../core/base/fault.ts";
import { jsonAt } from "./json.ts";
import { copyOf, keyOf, timestamp, type KubeObject } from "./object.ts";
import type { Resource } from "./resources/resource.ts";
import { markDeleted } from "./rest/delete.ts";
import { newUid } from "./rest/names.ts";
import { isFinished } from "./rest/write.ts";
import type { World } from "./world.ts";

/**
 * Gives each namespace its `default` ServiceAccount and the `kube-root-ca.crt` ConfigMap, and empties a namespace that is
 * being deleted before letting it go.
 */
export function followNamespaces(world: World, caCertificate: string): void {
  const follow = (name: string): void => {
    const namespace = world.store.get("namespaces", name);
    if (namespace === undefined || world.closing.aborted) return;
    const leaving = namespace.metadata.deletionTimestamp !== undefined;
    const step = leaving ? empty(world, namespace) : furnish(world, name, caCertificate);
    step.catch((error: unknown) => {
      if (!world.closing.aborted) world.log.error("a namespace is stuck", { name, error: messageOf(error) });
    });
  };
  for (const { metadata } of world.store.list("namespaces")) follow(metadata.name);
  world.store.subscribe(({ bucket, key, type, object }) => {
    const { namespace } = object.metadata;
    if (bucket === "namespaces") follow(key);
    else if (type === "DELETED" && namespace !== undefined) follow(namespace);
  });
}

async function furnish(world: World, namespace: string, caCertificate: string): Promise<void> {
  const made = (apiVersion: string, kind: string, name: string, fields: Record<string, unknown>): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace, uid: newUid(), creationTimestamp: timestamp(world.clock.now()) },
    ...fields,
  });
  const account = made("v1", "ServiceAccount", "default", {});
  const root = made("v1", "ConfigMap", "kube-root-ca.crt", { data: { "ca.crt": caCertificate } });
  await Promise.all([putNew(world, "serviceaccounts", account), putNew(world, "configmaps", root)]);
}

/** Writes an object that is not there yet; one that is stays as it is. */
async function putNew(world: World, bucket: string, object: KubeObject): Promise<void> {
  await world.store.put(bucket, keyOf(object.metadata.namespace, object.metadata.name), object, undefined);
}

async function empty(world: World, namespace: KubeObject): Promise<void> {
  const { name } = namespace.metadata;
  const contents = contentsOf(world, name);
  await Promise.all(
    contents
      .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
      .map(({ resource, object }) => removeContent(world, resource, object)),
  );
  const current = world.store.get("namespaces", name);
  if (current?.metadata.deletionTimestamp === undefined || contentsOf(world, name).length > 0) return;
  const finalizers = jsonAt(current, "spec")["finalizers"];
  const others = Array.isArray(finalizers) ? finalizers.filter((finalizer) => finalizer !== "kubernetes") : [];
  const next = copyOf(current);
  next["spec"] = { finalizers: others };
  if (others.length === 0 && isFinished(next)) await world.store.remove("namespaces", name, current);
  else if (Array.isArray(finalizers) && others.length < finalizers.length)
    await world.store.put("namespaces", name, next, current);
}

function contentsOf(world: World, namespace: string): { resource: Resource; object: KubeObject }[] {
  const buckets = new Map(
    world.registry
      .all()
      .filter((each) => each.namespaced)
      .map((each) => [each.bucket, each]),
  );
  return [...buckets.values()].flatMap((resource) =>
    world.store.list(resource.bucket, `${namespace}/`).map((object) => ({ resource, object })),
  );
}

async function removeContent(world: World, resource: Resource, object: KubeObject): Promise<void> {
  const options = {
    gracePeriodSeconds: undefined,
    propagation: "Background",
    uid: "",
    resourceVersion: "",
    dryRun: false,
  };
  const leaving = markDeleted(resource, object, options, world.clock.now());
  const key = keyOf(object.metadata.namespace, object.metadata.name);
  await (isFinished(leaving)
    ? world.store.remove(resource.bucket, key, object)
    : world.store.put(resource.bucket, key, leaving, object));
}
