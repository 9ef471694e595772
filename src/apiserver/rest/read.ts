import { notFound, refusals, refuse } from "../faults.ts";
import type { Call } from "../http/call.ts";
import { numberAt, textAt, type Json } from "../json.ts";
import { apiVersionOf, keyOf, type KubeObject } from "../object.ts";
import { listKindOf, type Resource } from "../resources/resource.ts";
import type { World } from "../world.ts";
import { selectorOf } from "./selectors.ts";
import { served } from "./shape.ts";
import type { Place } from "./write.ts";

/** One page of a list. */
export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remaining?: number;
}

/** The object that `place` names; what is read is on the disk. */
export async function get(world: World, call: Call, { resource, target }: Place): Promise<KubeObject> {
  checkVersion(world, call.query);
  await world.store.settled();
  const name = target.name ?? "";
  const stored = world.store.get(resource.bucket, keyOf(target.namespace, name));
  if (stored === undefined) throw notFound(resource, name);
  return served(resource, stored);
}

/** The objects that the request selects, `limit` at a time. */
export async function list(world: World, call: Call, { resource, target }: Place): Promise<Page> {
  checkVersion(world, call.query);
  await world.store.settled();
  const from = continuation(call.query.get("continue") ?? "");
  const limit = Number(call.query.get("limit") ?? "0");
  if (!Number.isInteger(limit) || limit < 0) throw refuse(refusals.badRequest, `limit must be a whole number`);
  const prefix = target.namespace === undefined ? "" : `${target.namespace}/`;
  const selects = selectorOf(resource, call.query);
  const named = target.name;
  const found = world.store
    .list(resource.bucket, prefix)
    .filter(({ metadata }) => from === undefined || keyOf(metadata.namespace, metadata.name) > from.after)
    .filter(({ metadata }) => named === undefined || metadata.name === named)
    .map((stored) => served(resource, stored))
    .filter(selects);
  // later pages carry the version of the first, so that a watch from it misses nothing that came between
  const revision = from?.revision ?? world.store.revision();
  const items = limit > 0 ? found.slice(0, limit) : found;
  const last = items.at(-1);
  const page = { items, resourceVersion: String(revision) };
  if (last === undefined || items.length === found.length) return page;
  const after = keyOf(last.metadata.namespace, last.metadata.name);
  const token = Buffer.from(JSON.stringify({ revision, after })).toString("base64url");
  return { ...page, continue: token, remaining: found.length - items.length };
}

/** The list object of a page. */
export function listObject(resource: Resource, page: Page): Json {
  return {
    kind: listKindOf(resource),
    apiVersion: apiVersionOf(resource.group, resource.version),
    metadata: listMetadata(page),
    items: page.items,
  };
}

/** The metadata of a page. */
export function listMetadata(page: Page): Json {
  return {
    resourceVersion: page.resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue, remainingItemCount: page.remaining }),
  };
}

/** 504-like refusal of versions that do not exist yet, 410 of exact ones that are past. */
function checkVersion(world: World, query: URLSearchParams): void {
  const wanted = query.get("resourceVersion") ?? "";
  if (wanted === "" || wanted === "0") return;
  const current = world.store.revision();
  const version = Number(wanted);
  if (!Number.isInteger(version) || version < 0) {
    throw refuse(refusals.badRequest, `resourceVersion: Invalid value: ${JSON.stringify(wanted)}`);
  }
  if (version > current) {
    throw refuse(refusals.timeout, `Too large resource version: ${version}, current: ${current}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version", field: "" }],
      retryAfterSeconds: 1,
    });
  }
  if (query.get("resourceVersionMatch") === "Exact" && version < current) {
    throw refuse(refusals.expired, `The provided resource version ${version} is too old (current: ${current}).`);
  }
}

function continuation(token: string): { revision: number; after: string } | undefined {
  if (token === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch (error) {
    throw refuse(refusals.badRequest, `continue key is not valid: ${String(error)}`);
  }
  const revision = numberAt(value, "revision");
  if (revision === undefined) throw refuse(refusals.badRequest, "continue key is not valid");
  return { revision, after: textAt(value, "after") };
}
