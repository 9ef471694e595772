import type { Ref, ResourceType, Stored } from "../../kube/kube.ts";
import { keyOf, refOf } from "../../kube/ref.ts";

/** An object of any kind. */
export interface Node {
  readonly key: string;
  readonly type: ResourceType<object>;
  readonly object: Stored<object>;
}

/** One name for a type, whatever its version. */
export function typeKeyOf({ group, plural }: ResourceType<unknown>): string {
  return `${plural}.${group}`;
}

/** Who owns whom, among all objects that are known. */
export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #byUid = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  put(type: ResourceType<object>, object: Stored<object>): Node {
    const ref = refOf(object);
    this.remove(type, ref);
    const node = { key: nodeKey(type, ref), type, object };
    this.#nodes.set(node.key, node);
    this.#byUid.set(object.metadata.uid, node);
    for (const { uid } of object.metadata.ownerReferences ?? []) this.#dependentKeys(uid).add(node.key);
    return node;
  }

  remove(type: ResourceType<object>, ref: Ref): void {
    const node = this.#nodes.get(nodeKey(type, ref));
    if (node === undefined) return;
    this.#nodes.delete(node.key);
    if (this.#byUid.get(node.object.metadata.uid) === node) this.#byUid.delete(node.object.metadata.uid);
    for (const { uid } of node.object.metadata.ownerReferences ?? []) {
      const keys = this.#dependentKeys(uid);
      keys.delete(node.key);
      if (keys.size === 0) this.#dependents.delete(uid);
    }
  }

  get(key: string): Node | undefined {
    return this.#nodes.get(key);
  }

  withUid(uid: string): Node | undefined {
    return this.#byUid.get(uid);
  }

  dependentsOf(uid: string): Node[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((key) => this.#nodes.get(key) ?? []);
  }

  #dependentKeys(uid: string): Set<string> {
    const known = this.#dependents.get(uid);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    this.#dependents.set(uid, keys);
    return keys;
  }
}

function nodeKey(type: ResourceType<object>, ref: Ref): string {
  return `${typeKeyOf(type)}:${keyOf(ref)}`;
}
