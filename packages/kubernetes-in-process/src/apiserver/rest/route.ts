import { reviews } from "../auth/reviews.ts";
import { invalidError, apiErrors, apiError, type StatusDetails } from "../faults.ts";
import { answer, type ApiCall } from "../http/call.ts";
import type { Target } from "../http/target.ts";
import { joinApiVersion, type KubeObject } from "../objects/object.ts";
import { SUBRESOURCES, serves, type Resource } from "../resources/resource.ts";
import type { ServerContext } from "../context/server-context.ts";
import { jsonBody, methodNotAllowed, success } from "./exchange.ts";
import { checkOptions } from "./options.ts";
import { deletionRequestOf, remove, removeAll } from "./delete.ts";
import { patch } from "./patch.ts";
import { presentList, presentObject } from "./present.ts";
import { get, list, listObject } from "./read.ts";
import { objectFrom } from "./shape.ts";
import { serveSubresource } from "./subresource.ts";
import { watch } from "./watch.ts";
import { changeTarget, create, type ResolvedTarget } from "./write.ts";

/** Carries out a request for a resource; 404 when nothing of that name is served. */
export async function serveResource(context: ServerContext, call: ApiCall, target: Target): Promise<void> {
  if (await serveReview(context, call, target)) return;
  const resource = context.registry.find(target.group, target.version, target.plural);
  if (resource === undefined) throw apiError(apiErrors.notFound, "the server could not find the requested resource");
  if (resource.warning !== undefined) call.warnings.add(resource.warning);
  checkOptions(call, target.verb);
  const resolved: ResolvedTarget = {
    resource,
    target: resource.namespaced ? target : { ...target, namespace: undefined },
  };
  if (target.subresource === undefined) return serveObject(context, call, resolved);
  const subresource = SUBRESOURCES.find((name) => name === target.subresource);
  if (subresource === undefined || !serves(resource, subresource)) {
    throw apiError(apiErrors.notFound, "the server could not find the requested resource");
  }
  return serveSubresource(context, call, resolved, subresource);
}

async function serveObject(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  const { resource, target } = resolved;
  if (!resource.verbs.some((verb) => verb === target.verb)) throw methodNotAllowed();
  if (isAstray(resolved)) throw methodNotAllowed();
  switch (target.verb) {
    case "get":
      presentObject(context, call, resource, 200, await get(context, call, resolved));
      return;
    case "list":
      presentList(context, call, resource, await list(context, call, resolved));
      return;
    case "watch":
      await watch(context, call, resolved);
      return;
    case "create": {
      const object = objectFrom(resource, await jsonBody(call));
      presentObject(context, call, resource, 201, await create(context, call, resolved, object));
      return;
    }
    case "update":
      await replaceOne(context, call, resolved);
      return;
    case "patch": {
      const { code, object } = await patch(context, call, resolved);
      presentObject(context, call, resource, code, object);
      return;
    }
    case "delete":
      await deleteOne(context, call, resolved);
      return;
    case "deletecollection": {
      const items = await removeAll(context, call, resolved, await deletionRequestOf(call));
      answer(call, 200, listObject(resource, { items, resourceVersion: String(context.store.revision()) }));
      return;
    }
  }
}

async function replaceOne(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  const { resource } = resolved;
  const object = objectFrom(resource, await jsonBody(call));
  requireVersion(resource, object);
  presentObject(
    context,
    call,
    resource,
    200,
    await changeTarget(context, call, resolved, () => ({ object, tracked: false })),
  );
}

async function deleteOne(context: ServerContext, call: ApiCall, resolved: ResolvedTarget): Promise<void> {
  const { resource, target } = resolved;
  const { object, gone } = await remove(context, call, resolved, await deletionRequestOf(call));
  if (!gone || resource.bucket === "pods") {
    presentObject(context, call, resource, 200, object);
    return;
  }
  const details: StatusDetails = {
    name: target.name ?? "",
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(object.metadata.uid === undefined ? {} : { uid: object.metadata.uid }),
  };
  answer(call, 200, success(details));
}

async function serveReview(context: ServerContext, call: ApiCall, target: Target): Promise<boolean> {
  const review = reviews.find(
    ({ group, version, plural }) => group === target.group && version === target.version && plural === target.plural,
  );
  if (review === undefined) return false;
  if (target.verb !== "create") throw methodNotAllowed();
  const body = await jsonBody(call);
  const kinds = { apiVersion: joinApiVersion(review.group, review.version), kind: review.kind };
  answer(call, 201, review.answer(context, call.user, { ...body, ...kinds }, target.namespace ?? ""));
  return true;
}

/** Built-in kinds may be replaced whatever the stored version is, custom ones never. */
function requireVersion(resource: Resource, { metadata }: KubeObject): void {
  if (!resource.custom || (metadata.resourceVersion ?? "") !== "") return;
  const message = "Invalid value: 0x0: must be specified for an update";
  throw invalidError(resource, metadata.name, [
    { reason: "FieldValueInvalid", field: "metadata.resourceVersion", message },
  ]);
}

/** Objects are created at a collection and changed at their name, and what has a namespace is written in one. */
function isAstray({ resource, target: { verb, name, namespace } }: ResolvedTarget): boolean {
  if (verb === "create" && name !== undefined) return true;
  if ((verb === "update" || verb === "patch") && name === undefined) return true;
  return resource.namespaced && namespace === undefined && verb !== "list" && verb !== "watch";
}
