import { Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";
import type { Ref, ResourceType } from "./kube.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `apiVersion` of a type: `v1` or `apps/v1`. */
export function apiVersionOf(type: ResourceType<unknown>): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

/** Path of all objects of a type, in one namespace or in all of them. */
export function collectionPath(type: ResourceType<unknown>, namespace: string | undefined, query: Query = {}): string {
  const root = type.group === "" ? "/api" : "/apis";
  const scope = type.namespaced && namespace !== undefined ? ["namespaces", encodeURIComponent(namespace)] : [];
  return [root, apiVersionOf(type), ...scope, type.plural].join("/") + queryText(query);
}

/** Path of one object. */
export function objectPath(type: ResourceType<unknown>, ref: Ref, subresource?: string, query: Query = {}): string {
  if (ref.name === "" || (type.namespaced && !ref.namespace)) {
    throw new Fault(faults.invalid, `${type.kind} "${ref.name}" needs a name and a namespace`, { ref });
  }
  const parts = [
    collectionPath(type, ref.namespace),
    encodeURIComponent(ref.name),
    ...(subresource ? [subresource] : []),
  ];
  return parts.join("/") + queryText(query);
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
