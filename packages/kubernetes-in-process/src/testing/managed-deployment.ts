import assert from "node:assert/strict";
import { builtinSchema } from "../apiserver/openapi/builtin.ts";
import { serverSideApply } from "../apiserver/patch/server-side-apply.ts";
import { trackUpdate } from "../apiserver/patch/track-update.ts";
import { isJsonObject, type JsonObject } from "../apiserver/schema/json.ts";

/** The schema of Deployments. */
export const schema = builtinSchema("apps", "v1", "Deployment");
export const now = new Date("2026-01-01T00:00:00Z");
export const later = new Date("2026-01-02T00:00:00Z");

/** A Deployment named `web`. */
export const webDeployment = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", ...metadata },
  spec,
});
/** A spec with these containers. */
export const containers = (...items: readonly JsonObject[]): JsonObject => ({
  template: { spec: { containers: items } },
});

/** `live` after an apply without conflicts. */
export function applyAs(live: JsonObject | undefined, manager: string, configuration: JsonObject): JsonObject {
  const outcome = serverSideApply({ live, applied: configuration, manager, force: false, schema, now });
  assert.ok(outcome.kind === "applied", JSON.stringify(outcome));
  return outcome.object;
}

/** `after` as an update by `manager` stores it. */
export function updateAs(before: JsonObject | undefined, after: JsonObject, manager: string): JsonObject {
  const managedFields = trackUpdate({ before, after, manager, schema, now });
  return { ...after, metadata: { ...(isJsonObject(after["metadata"]) ? after["metadata"] : {}), managedFields } };
}

/** The fields of each manager. */
export function ownersOf(object: JsonObject): Readonly<Record<string, unknown>> {
  const entries = isJsonObject(object["metadata"]) ? object["metadata"]["managedFields"] : [];
  const listed: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return Object.fromEntries(listed.filter(isJsonObject).map((entry) => [String(entry["manager"]), entry["fieldsV1"]]));
}
