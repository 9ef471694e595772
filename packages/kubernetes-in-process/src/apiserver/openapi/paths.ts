import type { JsonObject } from "../schema/json.ts";
import { SCHEMA_PREFIX } from "./definitions.ts";
import type { Described } from "./described.ts";

const DELETE_OPTIONS = `${SCHEMA_PREFIX}io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions`;
const STATUS = `${SCHEMA_PREFIX}io.k8s.apimachinery.pkg.apis.meta.v1.Status`;
const SCALE = `${SCHEMA_PREFIX}io.k8s.api.autoscaling.v1.Scale`;

/** A query parameter, as clients look for it. */
const PARAMETERS = {
  pretty: "If 'true', the output is indented.",
  dryRun: "When All, nothing is stored.",
  fieldManager: "The name under which the changed fields are owned.",
  fieldValidation: "What to do with unknown and duplicate fields: Ignore, Warn (the default) or Strict.",
  force: "Take over fields that another manager owns; for apply only.",
  labelSelector: "Only objects with these labels.",
  fieldSelector: "Only objects with these fields.",
  limit: "How many objects at most.",
  continue: "Where the last list ended.",
  resourceVersion: "From which version on.",
  watch: "Send changes as they happen.",
  gracePeriodSeconds: "Seconds until the object goes.",
  propagationPolicy: "What becomes of dependents: Orphan, Background or Foreground.",
} as const;
type Parameter = keyof typeof PARAMETERS;

const LIST: readonly Parameter[] = ["labelSelector", "fieldSelector", "limit", "continue", "resourceVersion", "watch"];
const WRITE: readonly Parameter[] = ["dryRun", "fieldManager", "fieldValidation"];
const DELETE: readonly Parameter[] = ["dryRun", "gracePeriodSeconds", "propagationPolicy"];

/** The paths of a resource and of its subresources; `schema` is the reference to its kind. */
export function pathsOf(resource: Described, schema: string): JsonObject {
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const everywhere = namespaced ? { [`${root}/${plural}`]: { get: operation(resource, "list", LIST, schema) } } : {};
  const below = resource.subresources
    .filter((name) => name === "status" || name === "scale")
    .map((name) => [`${collection}/{name}/${name}`, subresource(resource, name === "scale" ? SCALE : schema)] as const);
  return {
    ...everywhere,
    [collection]: collectionItem(resource, schema),
    [`${collection}/{name}`]: objectItem(resource, schema),
    ...Object.fromEntries(below),
  };
}

function collectionItem(resource: Described, schema: string): JsonObject {
  return supportedOperations(resource, {
    list: ["get", operation(resource, "list", LIST, schema)],
    create: ["post", { ...operation(resource, "post", WRITE, schema), requestBody: body(["*/*"], schema) }],
    deletecollection: ["delete", operation(resource, "deletecollection", [...LIST, ...DELETE], STATUS)],
  });
}

function objectItem(resource: Described, schema: string): JsonObject {
  return supportedOperations(resource, {
    get: ["get", operation(resource, "get", ["pretty"], schema)],
    update: ["put", { ...operation(resource, "put", WRITE, schema), requestBody: body(["*/*"], schema) }],
    patch: ["patch", patchOperation(resource, schema)],
    delete: [
      "delete",
      { ...operation(resource, "delete", DELETE, STATUS), requestBody: body(["*/*"], DELETE_OPTIONS) },
    ],
  });
}

function subresource(resource: Described, schema: string): JsonObject {
  return supportedOperations(resource, {
    get: ["get", operation(resource, "get", ["pretty"], schema)],
    update: ["put", { ...operation(resource, "put", WRITE, schema), requestBody: body(["*/*"], schema) }],
    patch: ["patch", patchOperation(resource, schema)],
  });
}

/** kubectl reads from here which kinds of patch it may send. */
function patchOperation(resource: Described, schema: string): JsonObject {
  const types = [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    ...(resource.custom ? [] : ["application/strategic-merge-patch+json"]),
  ];
  return { ...operation(resource, "patch", [...WRITE, "force"], schema), requestBody: body(types, schema) };
}

function operation(
  { group, version, kind }: Described,
  action: string,
  parameters: readonly Parameter[],
  schema: string,
): JsonObject {
  return {
    description: `${action} ${kind}`,
    parameters: parameters.map((name) => ({
      name,
      in: "query",
      description: PARAMETERS[name],
      schema: { type: "string", uniqueItems: true },
    })),
    responses: { 200: { description: "OK", content: { "application/json": { schema: { $ref: schema } } } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

function body(types: readonly string[], schema: string): JsonObject {
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: { $ref: schema } }])) };
}

function supportedOperations(
  resource: Described,
  operations: Readonly<Record<string, readonly [string, JsonObject]>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(operations)
      .filter(([verb]) => resource.verbs.includes(verb))
      .map(([, entry]) => entry),
  );
}
