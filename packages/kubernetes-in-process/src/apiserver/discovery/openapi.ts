import { createHash } from "node:crypto";
import type { Json } from "../objects/json.ts";
import { joinApiVersion } from "../objects/object.ts";
import { openapiV3Document } from "../openapi/document.ts";
import type { Registry } from "../resources/registry.ts";

/** The OpenAPI v3 documents of a registry, each made when first asked for and again after the registry changed. */
export interface OpenapiDocuments {
  /** The answer to `/openapi/v3`. */
  index(): Json;
  /** The text of `/openapi/v3/<path>`; undefined when nothing is served there. */
  document(path: string): string | undefined;
}

/** The documents of `registry`, kept until it changes. */
export function createOpenapi(registry: Registry): OpenapiDocuments {
  let generation = registry.generation();
  let texts = new Map<string, string>();
  const document = (path: string): string | undefined => {
    if (registry.generation() !== generation) {
      generation = registry.generation();
      texts = new Map();
    }
    const known = texts.get(path);
    if (known !== undefined) return known;
    const resources = registry.all().filter((each) => pathOf(each.group, each.version) === path);
    if (resources.length === 0) return undefined;
    const text = JSON.stringify(openapiV3Document(resources));
    texts.set(path, text);
    return text;
  };
  return {
    document,
    index: () => {
      const paths = [...new Set(registry.all().map(({ group, version }) => pathOf(group, version)))].sort();
      const entries = paths.map((path) => [
        path,
        { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(registry, path)}` },
      ]);
      return { paths: Object.fromEntries(entries) };
    },
  };
}

/** Names what goes into a document without making it: clients keep documents by this hash. */
function hashOf(registry: Registry, path: string): string {
  const hash = createHash("sha256");
  for (const resource of registry.all()) {
    if (pathOf(resource.group, resource.version) !== path) continue;
    const { kind, plural, verbs, subresources } = resource;
    hash.update(JSON.stringify([kind, plural, verbs, subresources, resource.custom ? resource.schema() : null]));
  }
  return hash.digest("hex").toUpperCase();
}

function pathOf(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${joinApiVersion(group, version)}`;
}
