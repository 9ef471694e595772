import { apiErrors, apiError, statusBody } from "../faults.ts";
import { viewOf, type View } from "../http/accept.ts";
import { writeHead, type ApiCall } from "../http/call.ts";
import type { Json } from "../objects/json.ts";
import { joinApiVersion, type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import type { Change } from "../store/history.ts";
import { partialOf, renderTable } from "../table/render.ts";
import type { ServerContext } from "../context/server-context.ts";
import { includeOf } from "./present.ts";
import { requestSelector, type ObjectPredicate } from "./selectors.ts";
import { servedShape } from "./shape.ts";
import type { ResolvedTarget } from "./write.ts";

/** A watcher that lets more than this wait is cut off; it lists again. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
const DEFAULT_SECONDS = 1800;
const BOOKMARK_MS = 60_000;

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

/** Streams changes as one JSON object a line until the client goes, its time is up, or the server closes. */
export async function watch(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  const { resource } = resolved;
  const { query, response } = call;
  const view = viewOf(call.request.headers.accept, ["Table", "PartialObjectMetadata"]);
  const filter = filterOf(resolved, query);
  const bookmarks = ["true", "1"].includes(query.get("allowWatchBookmarks") ?? "");
  const initial = query.get("sendInitialEvents") === "true";
  const from = startOf(context, query);
  await context.store.settled();

  const line = lineWriter(context, resource, call, view);
  writeHead(call, 200, "application/json");
  response.flushHeaders();

  const past = initial || from === undefined ? current(context, filter) : replay(context, from, filter);
  if (past === undefined) {
    const why = apiError(apiErrors.expired, `too old resource version: ${from} (${context.store.revision()})`);
    response.end(`${JSON.stringify({ type: "ERROR", object: statusBody(why) })}\n`);
    return;
  }
  const unsubscribe = context.store.subscribe((change) => {
    const event = filter.event(change);
    if (event === undefined) return;
    line.event(event);
    if (response.writableLength > MAX_BACKLOG_BYTES) {
      context.log.warn("cut off a watcher that does not read", { path: call.path, user: call.user.name });
      response.destroy();
    }
  });
  for (const event of past) line.event(event);
  if (initial && bookmarks) line.bookmark({ "k8s.io/initial-events-end": "true" });
  await lifetime(context, call, () => {
    if (bookmarks) line.bookmark();
  });
  unsubscribe();
  if (bookmarks && !response.destroyed) line.bookmark();
  response.end();
}

interface Filter {
  readonly resource: Resource;
  readonly prefix: string;
  readonly selects: ObjectPredicate;
  event(change: Change): WatchEvent | undefined;
}

function filterOf({ resource, target }: ResolvedTarget, query: URLSearchParams): Filter {
  const bySelector = requestSelector(resource, query);
  const named = target.name;
  const selects: ObjectPredicate = (object) =>
    (named === undefined || object.metadata.name === named) && bySelector(object);
  // a namespace carries its own name as the namespace of its path, while its key has none
  const prefix = target.namespace === undefined || !resource.namespaced ? "" : `${target.namespace}/`;
  return {
    resource,
    prefix,
    selects,
    event: (change) => {
      if (change.bucket !== resource.bucket || !change.key.startsWith(prefix)) return undefined;
      const object = servedShape(resource, change.object);
      const was = change.previous !== undefined && selects(servedShape(resource, change.previous));
      const is = change.type !== "DELETED" && selects(object);
      if (!was && !is) return undefined;
      return { type: is ? (was ? "MODIFIED" : "ADDED") : "DELETED", object };
    },
  };
}

/** The version to go on from; undefined to begin with what exists now. */
function startOf(context: ServerContext, query: URLSearchParams): number | undefined {
  const wanted = query.get("resourceVersion") ?? "";
  if (wanted === "" || wanted === "0") return undefined;
  const version = Number(wanted);
  if (!Number.isInteger(version) || version < 0) {
    throw apiError(apiErrors.badRequest, `resourceVersion: Invalid value: ${JSON.stringify(wanted)}`);
  }
  // a version from the future belongs to another life of this server: the watcher has to list again
  return version > context.store.revision() ? -1 : version;
}

function current(context: ServerContext, { resource, prefix, selects }: Filter): WatchEvent[] {
  return context.store
    .list(resource.bucket, prefix)
    .map((stored) => servedShape(resource, stored))
    .filter(selects)
    .map((object) => ({ type: "ADDED", object }));
}

function replay(context: ServerContext, from: number, filter: Filter): WatchEvent[] | undefined {
  return context.store.changesAfter(from)?.flatMap((change) => filter.event(change) ?? []);
}

const written = new WeakMap<KubeObject, string>();

/** The JSON of an object, made once for all its watchers. */
function jsonOf(object: KubeObject): string {
  const known = written.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  written.set(object, text);
  return text;
}

function lineWriter(
  context: ServerContext,
  resource: Resource,
  call: ApiCall,
  view: View,
): { event(event: WatchEvent): void; bookmark(annotations?: Record<string, string>): void } {
  let headers = true;
  const include = includeOf(call.query);
  const shape = (object: KubeObject): string => {
    if (view.as === "PartialObjectMetadata") return JSON.stringify(partialOf(object));
    if (view.as !== "Table") return jsonOf(object);
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    const now = context.clock.now();
    const table = renderTable(resource, [object], { metadata, include, now, version: view.version, headers });
    headers = false;
    return JSON.stringify(table);
  };
  const send = (type: string, object: string): void => {
    call.response.write(`{"type":"${type}","object":${object}}\n`);
  };
  return {
    event: ({ type, object }) => {
      send(type, shape(object));
    },
    bookmark: (annotations) => {
      const metadata = {
        resourceVersion: String(context.store.durableRevision()),
        ...(annotations && { annotations }),
      };
      send("BOOKMARK", JSON.stringify(bookmarkObject(resource, view, metadata)));
    },
  };
}

function bookmarkObject(resource: Resource, view: View, metadata: Json): Json {
  const head = { kind: resource.kind, apiVersion: joinApiVersion(resource.group, resource.version) };
  switch (view.as) {
    case "Table":
      return { kind: "Table", apiVersion: `meta.k8s.io/${view.version}`, metadata, columnDefinitions: [], rows: [] };
    case "PartialObjectMetadata":
      return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
    default:
      return { ...head, metadata: { ...metadata, creationTimestamp: null } };
  }
}

/** Waits for the end of the watch, calling `tick` each minute. */
async function lifetime(context: ServerContext, call: ApiCall, tick: () => void): Promise<void> {
  const seconds = Number(call.query.get("timeoutSeconds") ?? DEFAULT_SECONDS) || DEFAULT_SECONDS;
  const ended = new AbortController();
  call.response.once("close", () => {
    ended.abort();
  });
  const signal = AbortSignal.any([ended.signal, context.closing]);
  const deadline = context.clock.uptimeMs() + seconds * 1000;
  while (!signal.aborted) {
    const left = deadline - context.clock.uptimeMs();
    if (left <= 0) return;
    // the sleep ends early when the client goes or the server closes; the loop's condition sees it
    await context.clock.sleep(Math.min(left, BOOKMARK_MS), signal).catch(() => undefined);
    if (!signal.aborted && deadline > context.clock.uptimeMs()) tick();
  }
}
