import type { JsonObject } from "../schema/json.ts";
import { definition, definitionOfKind, OBJECT_META, referencedDefinitions, SCHEMA_PREFIX } from "./definitions.ts";
import type { Described } from "./described.ts";
import { pathsOf } from "./paths.ts";

/** The OpenAPI v3 document of one group and version: `resources` are all that is served there. */
export function openapiV3Document(resources: readonly Described[]): JsonObject {
  const named = resources.map((resource) => ({ resource, name: schemaName(resource) }));
  const paths = Object.assign({}, ...named.map(({ resource, name }) => pathsOf(resource, SCHEMA_PREFIX + name)));
  const own = named
    .filter(({ resource }) => resource.custom)
    .map(({ resource, name }) => [name, customDefinition(resource)] as const);
  const others = referencedDefinitions([paths, own.map(([, schema]) => schema)], new Set(own.map(([name]) => name)));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths,
    components: { schemas: Object.fromEntries([...own, ...others.map((name) => [name, definition(name)] as const)]) },
  };
}

/** `io.example.stores.v1.Store` for kind Store of group stores.example.io; the name in definitions.json for built-in ones. */
function schemaName({ group, version, kind }: Described): string {
  return definitionOfKind(group, version, kind) ?? [...group.split(".").toReversed(), version, kind].join(".");
}

function customDefinition({ group, version, kind, schema }: Described): JsonObject {
  const { properties, ...rest } = schema();
  const metadata = { description: "Standard object's metadata.", allOf: [{ $ref: SCHEMA_PREFIX + OBJECT_META }] };
  return {
    ...rest,
    properties: { ...properties, metadata },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}
