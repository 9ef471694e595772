import { jsonAt, listAt, textAt, textsAt, type Json } from "../objects/json.ts";
import { joinApiVersion, type KubeObject } from "../objects/object.ts";
import { customSchema } from "../openapi/builtin.ts";
import { type Resource, type ScalePaths, type Subresource } from "../resources/resource.ts";
import type { Schema } from "../schema/schema.ts";
import { customColumns } from "./columns.ts";

/** The resources that a definition serves, one for each version; none until its names are accepted. */
export function resourcesOf(definition: KubeObject): Resource[] {
  if (!hasCondition(definition, "Established")) return [];
  return listAt(definition, "spec", "versions")
    .filter((version) => version["served"] === true)
    .map((version) => resourceOf(definition, version));
}

/** True when the status of the definition has this condition. */
export function hasCondition(definition: Json, type: string): boolean {
  return listAt(definition, "status", "conditions").some(
    (entry) => entry["type"] === type && entry["status"] === "True",
  );
}

/** Where the store keeps the objects of a definition. */
export function bucketOf(definition: KubeObject): string {
  return `${textAt(definition, "spec", "names", "plural")}.${textAt(definition, "spec", "group")}`;
}

/** The schema of one version of a definition, without the fields that every object has. */
export function schemaOf(version: Json): Schema {
  return jsonAt(version, "schema", "openAPIV3Schema");
}

/** In the order in which Kubernetes lists them for custom resources. */
const LISTED_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"] as const;

function resourceOf(definition: KubeObject, version: Json): Resource {
  const group = textAt(definition, "spec", "group");
  const names = jsonAt(definition, "spec", "names");
  const stored = listAt(definition, "spec", "versions").find((each) => each["storage"] === true) ?? version;
  const schema = customSchema(schemaOf(version));
  const scale = scalePaths(version);
  const warning = warningOf(definition, version);
  return {
    group,
    version: textAt(version, "name"),
    kind: textAt(names, "kind"),
    plural: textAt(names, "plural"),
    singular: textAt(names, "singular") || textAt(names, "kind").toLowerCase(),
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
    namespaced: textAt(definition, "spec", "scope") === "Namespaced",
    verbs: LISTED_VERBS,
    subresources: subresourcesOf(version),
    ...(scale === undefined ? {} : { scale }),
    bucket: bucketOf(definition),
    storedAs: joinApiVersion(group, textAt(stored, "name")),
    counted: true,
    custom: true,
    columns: customColumns(version),
    strategy: {},
    ...(warning === undefined ? {} : { warning }),
    schema: () => schema,
  };
}

function subresourcesOf(version: Json): Subresource[] {
  const asked = jsonAt(version, "subresources");
  return (["status", "scale"] as const).filter((name) => asked[name] !== undefined);
}

function scalePaths(version: Json): ScalePaths | undefined {
  const scale = jsonAt(version, "subresources", "scale");
  if (scale["specReplicasPath"] === undefined) return undefined;
  const selector = textAt(scale, "labelSelectorPath");
  return {
    spec: textAt(scale, "specReplicasPath"),
    status: textAt(scale, "statusReplicasPath"),
    ...(selector === "" ? {} : { selector }),
  };
}

function warningOf(definition: KubeObject, version: Json): string | undefined {
  if (version["deprecated"] !== true) return undefined;
  const apiVersion = joinApiVersion(textAt(definition, "spec", "group"), textAt(version, "name"));
  const kind = textAt(definition, "spec", "names", "kind");
  return textAt(version, "deprecationWarning") || `${apiVersion} ${kind} is deprecated`;
}
