import type { Clock } from "../base/clock.ts";
import type { Kube, ResourceType, Wanted } from "../kube/kube.ts";
import { keyOf, refOf } from "../kube/ref.ts";

/** An object that a controller keeps as it is here. */
export interface OwnedObject {
  readonly type: ResourceType;
  readonly object: Wanted<object>;
}

/** Keeps objects as they are wanted. */
export interface Keeper {
  /** Applies those of `objects` that changed since they were last applied here, or were not for a while; all when `afresh`. */
  keep(objects: readonly OwnedObject[], afresh?: boolean): Promise<void>;
}

/** What somebody else changed or deleted is put right within this time, in milliseconds. */
const REAPPLY_MS = 30_000;

/**
 * Applies server-side as `fieldManager`, taking over fields that others set. It remembers what it applied only to save
 * requests: applying again changes nothing.
 */
export function objectKeeper(kube: Kube, clock: Clock, fieldManager: string): Keeper {
  const applied = new Map<string, { readonly text: string; readonly at: number }>();
  return {
    async keep(objects, afresh = false) {
      for (const { type, object } of objects) {
        const key = `${type.plural} ${keyOf(refOf(object))}`;
        const text = JSON.stringify(object);
        const last = applied.get(key);
        const now = clock.now().getTime();
        if (!afresh && last?.text === text && now - last.at < REAPPLY_MS) continue;
        await kube.apply(type, object, { fieldManager, force: true });
        applied.set(key, { text, at: now });
      }
    },
  };
}
