import { apiErrors, apiError } from "../faults.ts";
import { viewOf } from "../http/accept.ts";
import { answer, type ApiCall } from "../http/call.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { partialOf, renderTable, type IncludedObject } from "../table/render.ts";
import type { ServerContext } from "../context/server-context.ts";
import { listMetadata, listObject, type Page } from "./read.ts";

/** Answers with one object, in the shape that the client accepts. */
export function presentObject(
  context: ServerContext,
  call: ApiCall,
  resource: Resource,
  code: number,
  object: KubeObject,
): void {
  const view = viewOf(call.request.headers.accept, ["Table", "PartialObjectMetadata"]);
  switch (view.as) {
    case "Table": {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      answer(call, code, table(context, call, resource, [object], metadata, view.version), view);
      return;
    }
    case "PartialObjectMetadata":
      answer(call, code, partialOf(object), view);
      return;
    default:
      answer(call, code, object, view);
  }
}

/** Answers with a page of a list, in the shape that the client accepts. */
export function presentList(context: ServerContext, call: ApiCall, resource: Resource, page: Page): void {
  const view = viewOf(call.request.headers.accept, ["Table", "PartialObjectMetadata"]);
  switch (view.as) {
    case "Table":
      answer(call, 200, table(context, call, resource, page.items, listMetadata(page), view.version), view);
      return;
    case "PartialObjectMetadata": {
      const items = page.items.map(partialOf);
      const kind = "PartialObjectMetadataList";
      answer(call, 200, { kind, apiVersion: "meta.k8s.io/v1", metadata: listMetadata(page), items }, view);
      return;
    }
    default:
      answer(call, 200, listObject(resource, page), view);
  }
}

/** The `includeObject` parameter: the metadata unless the client says otherwise. */
export function includeOf(query: URLSearchParams): IncludedObject {
  const include = query.get("includeObject") ?? "Metadata";
  if (include === "None" || include === "Metadata" || include === "Object") return include;
  throw apiError(apiErrors.badRequest, `includeObject must be None, Metadata or Object, not ${include}`);
}

function table(
  context: ServerContext,
  call: ApiCall,
  resource: Resource,
  objects: readonly KubeObject[],
  metadata: Record<string, unknown>,
  version: string,
): unknown {
  const now = context.clock.now();
  return renderTable(resource, objects, { metadata, include: includeOf(call.query), now, version, headers: true });
}
