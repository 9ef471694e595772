import type { Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";

/** What a row carries besides its cells, as the `includeObject` parameter asks. */
export type IncludedObject = "None" | "Metadata" | "Object";

/** The table of these objects, in the columns that kubectl prints for the resource. */
export function renderTable(
  resource: Resource,
  objects: readonly KubeObject[],
  options: {
    readonly metadata: Json;
    readonly include: IncludedObject;
    readonly now: Date;
    readonly version: string;
    readonly headers: boolean;
  },
): Json {
  const columns = resource.columns.map(({ cell, ...definition }) => definition);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: options.metadata,
    columnDefinitions: options.headers ? columns : [],
    rows: objects.map((object) => ({
      cells: resource.columns.map((column) => column.cell(object, options.now) ?? null),
      object: includedObject(object, options.include),
    })),
  };
}

/** The metadata of an object and nothing else. */
export function partialOf(object: KubeObject): Json {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

function includedObject(object: KubeObject, include: IncludedObject): Json | null {
  switch (include) {
    case "None":
      return null;
    case "Metadata":
      return partialOf(object);
    case "Object":
      return object;
  }
}
