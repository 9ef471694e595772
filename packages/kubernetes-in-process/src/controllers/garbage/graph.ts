import type { Ref, ResourceType, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { keyOf, refOf } from "../../../../controller-kit/src/kube/ref.ts";

/** An object of any kind. */
export interface GraphNode {
  readonly key: string;
  readonly type: ResourceType<object>;
  readonly object: Stored<object>;
}

/** One name for a type, whatever its version. */
export function typeKeyOf({ group, plural }: ResourceType<unknown>): string {
  return `${plural}.${group}`;
}

/** The owners of all objects that are known. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #byUid = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  /** uids of the objects that went last: their kind may be gone with them, and then they cannot be read. */
  readonly #gone = new Set<string>();

  put(type: ResourceType<object>, object: Stored<object>): GraphNode {
    const ref = refOf(object);
    this.#drop(nodeKey(type, ref), object.metadata.uid);
    const node = { key: nodeKey(type, ref), type, object };
    this.#nodes.set(node.key, node);
    this.#byUid.set(object.metadata.uid, node);
    for (const { uid } of object.metadata.ownerReferences ?? []) this.#dependentKeys(uid).add(node.key);
    return node;
  }

  remove(type: ResourceType<object>, ref: Ref): void {
    this.#drop(nodeKey(type, ref), undefined);
  }

  /** Whether the object with this uid was seen and is gone; only the last thousand are remembered. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  get(key: string): GraphNode | undefined {
    return this.#nodes.get(key);
  }

  withUid(uid: string): GraphNode | undefined {
    return this.#byUid.get(uid);
  }

  dependentsOf(uid: string): GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((key) => this.#nodes.get(key) ?? []);
  }

  /** Forgets the node at `key`, which an object with the uid `successor` takes the place of. */
  #drop(key: string, successor: string | undefined): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    const { uid, ownerReferences = [] } = node.object.metadata;
    this.#nodes.delete(key);
    if (this.#byUid.get(uid) === node) this.#byUid.delete(uid);
    if (uid !== successor) this.#remember(uid);
    for (const owner of ownerReferences) {
      const keys = this.#dependentKeys(owner.uid);
      keys.delete(key);
      if (keys.size === 0) this.#dependents.delete(owner.uid);
    }
  }

  #remember(uid: string): void {
    this.#gone.add(uid);
    for (const oldest of this.#gone) {
      if (this.#gone.size <= REMEMBERED) return;
      this.#gone.delete(oldest);
    }
  }

  #dependentKeys(uid: string): Set<string> {
    const known = this.#dependents.get(uid);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    this.#dependents.set(uid, keys);
    return keys;
  }
}

const REMEMBERED = 1000;

function nodeKey(type: ResourceType<object>, ref: Ref): string {
  return `${typeKeyOf(type)}:${keyOf(ref)}`;
}
