import { apiErrors, apiError, invalidError } from "../faults.ts";
import { isJson, type Json } from "../objects/json.ts";
import { joinApiVersion, copyOf, isKubeObject, type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { pruneUnknown } from "../schema/prune.ts";

const servedShapes = new WeakMap<Resource, WeakMap<KubeObject, KubeObject>>();

/** A stored object as this resource shows it; for custom resources with today's defaults and fields. */
export function servedShape(resource: Resource, stored: KubeObject): KubeObject {
  const direct = resource.strategy.fromStored === undefined && !resource.custom;
  if (direct) return stored;
  const shapes = servedShapes.get(resource) ?? new WeakMap<KubeObject, KubeObject>();
  servedShapes.set(resource, shapes);
  const known = shapes.get(stored);
  if (known !== undefined) return known;
  const shape = resource.strategy.fromStored?.(stored) ?? customShape(resource, stored);
  shapes.set(stored, shape);
  return shape;
}

/** A served object as the store keeps it. */
export function storable(resource: Resource, object: KubeObject): KubeObject {
  const converted = resource.strategy.toStored?.(object) ?? object;
  return converted.apiVersion === resource.storedAs ? converted : { ...converted, apiVersion: resource.storedAs };
}

/** The object in a body that should be of this resource: 400 when it is none, or of another kind. */
export function objectFrom(resource: Resource, body: unknown): KubeObject {
  if (!isJson(body)) throw apiError(apiErrors.badRequest, "the body is no object");
  const apiVersion = joinApiVersion(resource.group, resource.version);
  expectType(body, apiVersion, resource.kind);
  const metadata = isJson(body["metadata"]) ? body["metadata"] : {};
  const object = { ...body, apiVersion, kind: resource.kind, metadata: { ...metadata, name: metadata["name"] ?? "" } };
  if (!isKubeObject(object)) throw apiError(apiErrors.badRequest, "metadata.name of the body is no string");
  return object;
}

/** A computed value as an object; 400 when a patch left something else. */
export function asObject(value: unknown): KubeObject {
  if (isKubeObject(value)) return copyOf(value);
  throw apiError(apiErrors.badRequest, "the result is no object with apiVersion, kind and metadata.name");
}

/** 422 for a patch that gives an object another uid; a replacement with one is a conflict instead. */
export function sameUid(resource: Resource, live: KubeObject, object: KubeObject): KubeObject {
  const { uid } = object.metadata;
  if (uid === undefined || uid === live.metadata.uid) return object;
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  throw invalidError(resource, live.metadata.name, [{ reason: "FieldValueInvalid", field: "metadata.uid", message }]);
}

function expectType(body: Json, apiVersion: string, kind: string): void {
  const { apiVersion: sent = apiVersion, kind: sentKind = kind } = body;
  if (sent === apiVersion && sentKind === kind) return;
  const version = String(sent).split("/").at(-1) ?? "";
  const why =
    sent === apiVersion
      ? `the kind is ${JSON.stringify(sentKind)}`
      : `the API version in the data (${String(sent)}) does not match the expected API version (${apiVersion})`;
  throw apiError(
    apiErrors.badRequest,
    `${String(sentKind)} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`,
  );
}

function customShape(resource: Resource, stored: KubeObject): KubeObject {
  const apiVersion = joinApiVersion(resource.group, resource.version);
  const { value } = pruneUnknown(resource.schema(), applyDefaults(resource.schema(), { ...stored, apiVersion }));
  return isKubeObject(value) ? value : stored;
}
