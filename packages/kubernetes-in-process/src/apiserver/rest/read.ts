import { notFoundError, apiErrors, apiError } from "../faults.ts";
import type { ApiCall } from "../http/call.ts";
import { numberAt, textAt, type Json } from "../objects/json.ts";
import { joinApiVersion, storeKey, type KubeObject } from "../objects/object.ts";
import { listKindOf, type Resource } from "../resources/resource.ts";
import type { ServerContext } from "../context/server-context.ts";
import { requestSelector } from "./selectors.ts";
import { servedShape } from "./shape.ts";
import type { ResolvedTarget } from "./write.ts";

/** One page of a list. */
export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remaining?: number;
}

/** The object that `place` names; what is read is on the disk. */
export async function get(
  context: ServerContext,
  call: ApiCall,
  { resource, target }: ResolvedTarget,
): Promise<KubeObject> {
  checkVersion(context, call.query);
  await context.store.settled();
  const name = target.name ?? "";
  const stored = context.store.get(resource.bucket, storeKey(target.namespace, name));
  if (stored === undefined) throw notFoundError(resource, name);
  return servedShape(resource, stored);
}

/** The objects that the request selects, `limit` at a time; later pages and exact versions show what was there then. */
export async function list(context: ServerContext, call: ApiCall, { resource, target }: ResolvedTarget): Promise<Page> {
  const { query } = call;
  checkVersion(context, query);
  await context.store.settled();
  const from = continuation(query.get("continue") ?? "");
  const limit = Number(query.get("limit") ?? "0");
  const prefix = target.namespace === undefined ? "" : `${target.namespace}/`;
  const selects = requestSelector(resource, query);
  const revision = from?.revision ?? exactVersion(query) ?? context.store.revision();
  const found = then(context, resource, prefix, revision)
    .filter(({ metadata }) => from === undefined || storeKey(metadata.namespace, metadata.name) > from.after)
    .filter(({ metadata }) => target.name === undefined || metadata.name === target.name)
    .map((stored) => servedShape(resource, stored))
    .filter(selects);
  const items = limit > 0 ? found.slice(0, limit) : found;
  const last = items.at(-1);
  const page = { items, resourceVersion: String(revision) };
  if (last === undefined || items.length === found.length) return page;
  const after = storeKey(last.metadata.namespace, last.metadata.name);
  const token = Buffer.from(JSON.stringify({ revision, after })).toString("base64url");
  const selected = (query.get("labelSelector") ?? "") + (query.get("fieldSelector") ?? "") !== "";
  return { ...page, continue: token, ...(selected ? {} : { remaining: found.length - items.length }) };
}

/** What the store held at `revision`; 410 when its history does not reach so far back. */
function then(context: ServerContext, resource: Resource, prefix: string, revision: number): KubeObject[] {
  const objects = context.store.listAt(resource.bucket, prefix, revision);
  if (objects !== undefined) return objects;
  throw apiError(
    apiErrors.expired,
    `The provided resource version ${revision} is too old (current: ${context.store.revision()}); list again from the start.`,
  );
}

function exactVersion(query: URLSearchParams): number | undefined {
  return query.get("resourceVersionMatch") === "Exact" ? Number(query.get("resourceVersion")) : undefined;
}

/** The list object of a page. */
export function listObject(resource: Resource, page: Page): Json {
  return {
    kind: listKindOf(resource),
    apiVersion: joinApiVersion(resource.group, resource.version),
    metadata: listMetadata(page),
    items: page.items,
  };
}

/** The metadata of a page. */
export function listMetadata(page: Page): Json {
  return {
    resourceVersion: page.resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}

/** 504 for versions that do not exist yet. */
function checkVersion(context: ServerContext, query: URLSearchParams): void {
  const wanted = query.get("resourceVersion") ?? "";
  if (wanted === "" || wanted === "0") return;
  const current = context.store.revision();
  const version = Number(wanted);
  if (!Number.isInteger(version) || version < 0) {
    throw apiError(apiErrors.badRequest, `resourceVersion: Invalid value: ${JSON.stringify(wanted)}`);
  }
  if (version > current) {
    throw apiError(apiErrors.timeout, `Too large resource version: ${version}, current: ${current}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version", field: "" }],
      retryAfterSeconds: 1,
    });
  }
}

function continuation(token: string): { revision: number; after: string } | undefined {
  if (token === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch (error) {
    throw apiError(apiErrors.badRequest, `continue key is not valid: ${String(error)}`);
  }
  const revision = numberAt(value, "revision");
  if (revision === undefined) throw apiError(apiErrors.badRequest, "continue key is not valid");
  return { revision, after: textAt(value, "after") };
}
