import { parseAllDocuments } from "yaml";
import { Fault } from "../base/fault.ts";
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  NetworkPolicies,
  RoleBindings,
  Roles,
  ServiceAccounts,
  Services,
} from "./builtin.ts";
import { faults } from "./faults.ts";
import type { Kube, ResourceType } from "./kube.ts";

const KINDS: readonly ResourceType[] = [
  Roles,
  RoleBindings,
  ServiceAccounts,
  Services,
  NetworkPolicies,
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
];

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Applies every object of a bundle server-side, in the order of the file, as `kubectl apply --server-side -f` does. */
export async function applyManifest(
  kube: Kube,
  text: string,
  namespace: string,
  fieldManager: string,
): Promise<string[]> {
  const applied: string[] = [];
  for (const { type, object } of manifestObjects(text, namespace)) {
    await kube.apply(type, object, { fieldManager, force: true });
    applied.push(`${type.kind.toLowerCase()}/${object.metadata.name}`);
  }
  return applied;
}

/** The objects of a bundle as they are applied in `namespace`, in the order of the file. */
export function manifestObjects(text: string, namespace: string): readonly ManifestObject[] {
  return parseAllDocuments(text).map((document) => {
    const object: unknown = document.toJS();
    if (!isManifest(object)) throw new Fault(faults.invalid, "the bundle holds a document without kind and name");
    const type = KINDS.find((known) => known.kind === object.kind);
    if (type === undefined)
      throw new Fault(
        faults.invalid,
        `the bundle holds a ${object.kind}, which this program does not know how to apply`,
      );
    const metadata = type.namespaced ? { namespace, ...object.metadata } : object.metadata;
    return { type, object: { ...object, metadata } };
  });
}

/** An object of a bundle, and what it is. */
export interface ManifestObject {
  readonly type: ResourceType;
  readonly object: Manifest;
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("metadata" in value)) return false;
  const { kind, metadata } = value;
  return typeof kind === "string" && typeof metadata === "object" && metadata !== null && "name" in metadata;
}
