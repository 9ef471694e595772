import { reviews } from "../auth/reviews.ts";
import { invalid, refusals, refuse, type StatusDetails } from "../faults.ts";
import { answer, type Call } from "../http/call.ts";
import type { Target } from "../http/target.ts";
import { apiVersionOf, type KubeObject } from "../object.ts";
import { SUBRESOURCES, serves, type Resource } from "../resources/resource.ts";
import type { World } from "../world.ts";
import { bodyOf, methodNotAllowed, success } from "./exchange.ts";
import { checkOptions } from "./options.ts";
import { deleteOptionsOf, remove, removeAll } from "./delete.ts";
import { patch } from "./patch.ts";
import { presentList, presentObject } from "./present.ts";
import { get, list, listObject } from "./read.ts";
import { objectFrom } from "./shape.ts";
import { serveSubresource } from "./subresource.ts";
import { watch } from "./watch.ts";
import { change, create, type Place } from "./write.ts";

/** Carries out a request for a resource; 404 when nothing of that name is served. */
export async function serveResource(world: World, call: Call, target: Target): Promise<void> {
  if (await serveReview(world, call, target)) return;
  const resource = world.registry.find(target.group, target.version, target.plural);
  if (resource === undefined) throw refuse(refusals.notFound, "the server could not find the requested resource");
  if (resource.warning !== undefined) call.warnings.add(resource.warning);
  checkOptions(call, target.verb);
  const place: Place = { resource, target: resource.namespaced ? target : { ...target, namespace: undefined } };
  if (target.subresource === undefined) return serveObject(world, call, place);
  const subresource = SUBRESOURCES.find((name) => name === target.subresource);
  if (subresource === undefined || !serves(resource, subresource)) {
    throw refuse(refusals.notFound, "the server could not find the requested resource");
  }
  return serveSubresource(world, call, place, subresource);
}

async function serveObject(world: World, call: Call, place: Place): Promise<void> {
  const { resource, target } = place;
  if (!resource.verbs.some((verb) => verb === target.verb)) throw methodNotAllowed();
  if (isAstray(place)) throw methodNotAllowed();
  switch (target.verb) {
    case "get":
      presentObject(world, call, resource, 200, await get(world, call, place));
      return;
    case "list":
      presentList(world, call, resource, await list(world, call, place));
      return;
    case "watch":
      await watch(world, call, place);
      return;
    case "create": {
      const object = objectFrom(resource, await bodyOf(call));
      presentObject(world, call, resource, 201, await create(world, call, place, object));
      return;
    }
    case "update": {
      const object = objectFrom(resource, await bodyOf(call));
      requireVersion(resource, object);
      presentObject(world, call, resource, 200, await change(world, call, place, () => ({ object, tracked: false })));
      return;
    }
    case "patch": {
      const { code, object } = await patch(world, call, place);
      presentObject(world, call, resource, code, object);
      return;
    }
    case "delete":
      await deleteOne(world, call, place);
      return;
    case "deletecollection": {
      const options = await deleteOptionsOf(call);
      const items = await removeAll(world, call, place, options);
      answer(call, 200, listObject(resource, { items, resourceVersion: String(world.store.revision()) }));
      return;
    }
  }
}

async function deleteOne(world: World, call: Call, place: Place): Promise<void> {
  const { resource, target } = place;
  const { object, gone } = await remove(world, call, place, await deleteOptionsOf(call));
  if (!gone || resource.bucket === "pods") {
    presentObject(world, call, resource, 200, object);
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

async function serveReview(world: World, call: Call, target: Target): Promise<boolean> {
  const review = reviews.find(
    ({ group, version, plural }) => group === target.group && version === target.version && plural === target.plural,
  );
  if (review === undefined) return false;
  if (target.verb !== "create") throw methodNotAllowed();
  const body = await bodyOf(call);
  const kinds = { apiVersion: apiVersionOf(review.group, review.version), kind: review.kind };
  answer(call, 201, review.answer(world, call.user, { ...body, ...kinds }, target.namespace ?? ""));
  return true;
}

/** Built-in kinds may be replaced whatever the stored version is, custom ones never. */
function requireVersion(resource: Resource, { metadata }: KubeObject): void {
  if (!resource.custom || (metadata.resourceVersion ?? "") !== "") return;
  const message = "Invalid value: 0x0: must be specified for an update";
  throw invalid(resource, metadata.name, [{ reason: "FieldValueInvalid", field: "metadata.resourceVersion", message }]);
}

/** Objects are created at a collection and changed at their name, and what has a namespace is written in one. */
function isAstray({ resource, target: { verb, name, namespace } }: Place): boolean {
  if (verb === "create" && name !== undefined) return true;
  if ((verb === "update" || verb === "patch") && name === undefined) return true;
  return resource.namespaced && namespace === undefined && verb !== "list" && verb !== "watch";
}
