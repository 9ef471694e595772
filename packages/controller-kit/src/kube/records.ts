import { isFault } from "../base/fault.ts";
import { faults } from "./faults.ts";
import type { Kube, Ref, ResourceType, Stored, WriteOptions } from "./kube.ts";
import { isSame } from "./same.ts";

export interface ChangeOptions extends WriteOptions {
  /** How often the change is tried before its conflict is thrown; 5 when absent. */
  readonly attempts?: number;
}

/**
 * Compare-and-swap: reads the object, writes what `change` makes of it, and begins again when another writer wrote in
 * between. Writes nothing when `change` answers undefined or the same. The answer is what is stored then; undefined
 * when the object does not exist.
 */
export async function changeObject<T>(
  kube: Kube,
  type: ResourceType<T>,
  ref: Ref,
  change: (current: Stored<T>) => Stored<T> | undefined,
  options: ChangeOptions = {},
): Promise<Stored<T> | undefined> {
  const { attempts = 5, ...how } = options;
  for (let attempt = 1; ; attempt += 1) {
    const current = await kube.get(type, ref);
    if (current === undefined) return undefined;
    const next = change(current);
    if (next === undefined || isSame(next, current)) return current;
    const { uid, resourceVersion } = current.metadata;
    try {
      return await kube.update(type, { ...next, metadata: { ...next.metadata, uid, resourceVersion } }, how);
    } catch (error) {
      if (!isFault(error, faults.conflict) || attempt >= attempts) throw error;
    }
  }
}
