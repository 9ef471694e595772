import { joinApiVersion } from "../objects/object.ts";
import { builtinSchema } from "../openapi/builtin.ts";
import { REQUEST_VERBS, type Resource } from "../resources/resource.ts";
import * as coreTable from "../table/core.ts";

type Traits = Partial<Omit<Resource, "group" | "version" | "kind" | "plural" | "schema" | "custom">>;

/** A resource with the usual traits, unless `traits` says otherwise. */
export function builtinResource(
  group: string,
  version: string,
  kind: string,
  plural: string,
  traits: Traits = {},
): Resource {
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: REQUEST_VERBS,
    subresources: [],
    bucket: group === "" ? plural : `${plural}.${group}`,
    storedAs: joinApiVersion(group, version),
    counted: false,
    custom: false,
    columns: coreTable.plainColumns,
    strategy: {},
    schema: () => builtinSchema(group, version, kind),
    ...traits,
  };
}
