import { isFault } from "../base/fault.ts";
import type { KubeConfig } from "./kubeconfig.ts";
import { decodeList, decodeObject } from "./decode.ts";
import { faults } from "./faults.ts";
import type { DeleteOptions, Kube, ListOptions, Patch, ResourceType, Stored, WriteOptions } from "./kube.ts";
import { apiVersionOf, collectionPath, objectPath } from "./path.ts";
import { openTransport, type Request, type Transport, type TransportOptions } from "./transport.ts";
import { watchObjects } from "./watch.ts";

/** The Kubernetes port over real HTTPS; `close` waits for requests that are under way and ends watches. */
export function connect(config: KubeConfig, options: TransportOptions = {}): Kube & { close(): Promise<void> } {
  const transport = openTransport(config, options);
  const ask = async <T>(type: ResourceType<T>, request: Request, how: WriteOptions = {}): Promise<Stored<T>> =>
    decodeObject(type, await transport.send(request), how.dryRun);
  return {
    get: (type, ref, { deadlineMs } = {}) =>
      unlessAbsent(ask(type, { method: "GET", path: objectPath(type, ref), deadlineMs })),
    list: (type, where) => listAll(transport, type, where),
    watch: (type, where) => watchObjects(transport, type, where),
    create: (type, object, how = {}) => {
      const path = collectionPath(type, object.metadata.namespace, dryRun(how));
      return ask(type, { method: "POST", path, body: withTypeMeta(type, object), deadlineMs: how.deadlineMs }, how);
    },
    update: (type, object, how = {}) => {
      const path = objectPath(type, object.metadata, how.subresource, dryRun(how));
      return ask(type, { method: "PUT", path, body: object, deadlineMs: how.deadlineMs }, how);
    },
    patch: (type, ref, patch, how = {}) => {
      const path = objectPath(type, ref, how.subresource, dryRun(how));
      const contentType = `application/${PATCH[patch.type]}`;
      return ask(type, { method: "PATCH", path, contentType, body: patchBody(patch), deadlineMs: how.deadlineMs }, how);
    },
    apply: (type, object, how) => {
      const query = { fieldManager: how.fieldManager, force: how.force, ...dryRun(how) };
      const path = objectPath(type, object.metadata, how.subresource, query);
      const contentType = "application/apply-patch+yaml"; // JSON is YAML
      return ask(
        type,
        { method: "PATCH", path, contentType, body: withTypeMeta(type, object), deadlineMs: how.deadlineMs },
        how,
      );
    },
    delete: async (type, ref, how = {}) => {
      await unlessAbsent(transport.send({ method: "DELETE", path: objectPath(type, ref), body: deleteBody(how) }));
    },
    raw: (method, path, body) => transport.send({ method, path, ...(body === undefined ? {} : { body }) }),
    close: () => transport.close(),
  };
}

const PATCH = { json: "json-patch+json", merge: "merge-patch+json", strategic: "strategic-merge-patch+json" } as const;
const PAGE = 500;

async function listAll<T>(
  transport: Transport,
  type: ResourceType<T>,
  where: ListOptions = {},
): Promise<{ items: Stored<T>[]; resourceVersion: string }> {
  const { namespace, labelSelector, fieldSelector, deadlineMs } = where;
  const ask = async (query: { limit?: number; continue?: string }) => {
    const path = collectionPath(type, namespace, { labelSelector, fieldSelector, ...query });
    return decodeList(type, await transport.send({ method: "GET", path, metadataOnly: type.metadataOnly, deadlineMs }));
  };
  let page = await ask({ limit: PAGE });
  const items = [...page.items];
  while (page.next !== "") {
    const next = await unlessGone(ask({ limit: PAGE, continue: page.next }));
    // the server has forgotten the first page's moment: in one piece the list cannot grow too old
    if (next === undefined) return ask({});
    for (const each of next.items) items.push(each);
    page = next;
  }
  return { items, resourceVersion: page.resourceVersion };
}

async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isFault(error, faults.gone)) return undefined;
    throw error;
  }
}

async function unlessAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isFault(error, faults.notFound)) return undefined;
    throw error;
  }
}

function withTypeMeta(type: ResourceType<unknown>, object: object): object {
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...object };
}

function patchBody(patch: Patch): object {
  return patch.type === "json" ? patch.operations : patch.body;
}

function dryRun(how: WriteOptions): { dryRun: string | undefined } {
  return { dryRun: how.dryRun === true ? "All" : undefined };
}

function deleteBody({ propagation, uid, resourceVersion, gracePeriodSeconds }: DeleteOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: propagation,
    gracePeriodSeconds,
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
  };
}
