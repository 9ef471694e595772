import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { jsonAt } from "../objects/json.ts";
import { copyOf, storeKey, type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { markDeleted } from "../rest/delete.ts";
import { newUid } from "../objects/generated-names.ts";
import { isFinished } from "../rest/write.ts";
import type { ServerContext } from "../context/server-context.ts";

/**
 * Gives each namespace its `default` ServiceAccount and the `kube-root-ca.crt` ConfigMap, and empties a namespace that is
 * being deleted before removing it.
 */
export function followNamespaces(context: ServerContext, caCertificate: string): void {
  const follow = (name: string): void => {
    const namespace = context.store.get("namespaces", name);
    if (namespace === undefined || context.closing.aborted) return;
    const leaving = namespace.metadata.deletionTimestamp !== undefined;
    const step = leaving ? empty(context, namespace) : furnish(context, name, caCertificate);
    step.catch((error: unknown) => {
      if (!context.closing.aborted) context.log.error("a namespace is stuck", { name, error: messageOf(error) });
    });
  };
  for (const { metadata } of context.store.list("namespaces")) follow(metadata.name);
  context.store.subscribe(({ bucket, key, type, object }) => {
    const { namespace } = object.metadata;
    if (bucket === "namespaces") follow(key);
    else if (type === "DELETED" && namespace !== undefined) follow(namespace);
  });
}

async function furnish(context: ServerContext, namespace: string, caCertificate: string): Promise<void> {
  const made = (apiVersion: string, kind: string, name: string, fields: Record<string, unknown>): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace, uid: newUid(), creationTimestamp: timestamp(context.clock.now()) },
    ...fields,
  });
  const account = made("v1", "ServiceAccount", "default", {});
  const root = made("v1", "ConfigMap", "kube-root-ca.crt", { data: { "ca.crt": caCertificate } });
  await Promise.all([putNew(context, "serviceaccounts", account), putNew(context, "configmaps", root)]);
}

/** Writes an object that is not there yet; one that is stays as it is. */
async function putNew(context: ServerContext, bucket: string, object: KubeObject): Promise<void> {
  await context.store.put(bucket, storeKey(object.metadata.namespace, object.metadata.name), object, undefined);
}

async function empty(context: ServerContext, namespace: KubeObject): Promise<void> {
  const { name } = namespace.metadata;
  const contents = contentsOf(context, name);
  await Promise.all(
    contents
      .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
      .map(({ resource, object }) => removeContent(context, resource, object)),
  );
  const current = context.store.get("namespaces", name);
  if (current?.metadata.deletionTimestamp === undefined || contentsOf(context, name).length > 0) return;
  const finalizers = jsonAt(current, "spec")["finalizers"];
  const others = Array.isArray(finalizers) ? finalizers.filter((finalizer) => finalizer !== "kubernetes") : [];
  const next = copyOf(current);
  next["spec"] = { finalizers: others };
  if (others.length === 0 && isFinished(next)) await context.store.remove("namespaces", name, current);
  else if (Array.isArray(finalizers) && others.length < finalizers.length)
    await context.store.put("namespaces", name, next, current);
}

function contentsOf(context: ServerContext, namespace: string): { resource: Resource; object: KubeObject }[] {
  const buckets = new Map(
    context.registry
      .all()
      .filter((each) => each.namespaced)
      .map((each) => [each.bucket, each]),
  );
  return [...buckets.values()].flatMap((resource) =>
    context.store.list(resource.bucket, `${namespace}/`).map((object) => ({ resource, object })),
  );
}

async function removeContent(context: ServerContext, resource: Resource, object: KubeObject): Promise<void> {
  const options = {
    gracePeriodSeconds: undefined,
    propagation: "Background",
    uid: "",
    resourceVersion: "",
    dryRun: false,
  };
  const leaving = markDeleted(resource, object, options, context.clock.now());
  const key = storeKey(object.metadata.namespace, object.metadata.name);
  await (isFinished(leaving)
    ? context.store.remove(resource.bucket, key, object)
    : context.store.put(resource.bucket, key, leaving, object));
}
