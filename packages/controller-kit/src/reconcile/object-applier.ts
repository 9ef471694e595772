import { isDeepStrictEqual } from "node:util";
import type { Informer } from "../kube/informer.ts";
import type { Kube, Ref, ResourceType, Wanted } from "../kube/kube.ts";
import { keyOf, refOf } from "../kube/ref.ts";

/** An object that a controller keeps as it is here. */
export interface OwnedObject {
  readonly type: ResourceType;
  readonly object: Wanted<object>;
}

/** A kind that is kept, and cache the informer cache of it. */
export interface AppliedKind {
  readonly type: ResourceType;
  readonly cache: Informer<object>;
}

/** Keeps objects as they are wanted. */
export interface ObjectApplier {
  /**
   * Applies the `objects` that changed since they were last applied here, or that another writer changed; all when `afresh`. One that cannot be
   * applied keeps no other from it: what failed is thrown at the end, several failures as an AggregateError.
   */
  keep(objects: readonly OwnedObject[], afresh?: boolean): Promise<void>;
  /** Deletes what is there of a kind that is kept. */
  drop(type: ResourceType, ref: Ref): Promise<void>;
  /** Whether `drop` would delete nothing. */
  isDropped(type: ResourceType, ref: Ref): boolean;
  /** Whether `keep` would write nothing. */
  isKept(objects: readonly OwnedObject[]): boolean;
}

/**
 * Applies server-side as `fieldManager`, taking over fields that others set. Everything is applied once by each process,
 * because only that takes back what an older release had set and this one does not.
 */
export function objectApplier(kube: Kube, fieldManager: string, kinds: readonly AppliedKind[]): ObjectApplier {
  const applied = new Map<string, Applied>();
  const isAsApplied = ({ type, object }: OwnedObject): boolean => {
    const last = applied.get(keyFor(type, object));
    if (last === undefined || last.text !== JSON.stringify(object)) return false;
    const copy = cacheOf(kinds, type).get(refOf(object));
    if (copy === undefined) return false;
    if (last.version !== copy.metadata.resourceVersion) {
      if (!isDeepStrictEqual(last.form, partOf(copy, object))) return false;
      last.version = copy.metadata.resourceVersion;
    }
    return true;
  };
  const apply = async ({ type, object }: OwnedObject): Promise<void> => {
    const stored = await kube.apply(type, object, { fieldManager, force: true });
    cacheOf(kinds, type).learn(stored);
    const version = stored.metadata.resourceVersion;
    applied.set(keyFor(type, object), { text: JSON.stringify(object), form: partOf(stored, object), version });
  };
  return {
    async drop(type, ref) {
      if (cacheOf(kinds, type).get(ref) !== undefined) await kube.delete(type, ref);
    },
    isDropped: (type, ref) => cacheOf(kinds, type).get(ref) === undefined,
    isKept: (objects) => objects.every(isAsApplied),
    async keep(objects, afresh = false) {
      const failures: unknown[] = [];
      for (const owned of objects) {
        if (!afresh && isAsApplied(owned)) continue;
        await apply(owned).catch((failure: unknown) => failures.push(failure));
      }
      if (failures.length > 1) throw new AggregateError(failures, `${failures.length} objects could not be applied`);
      if (failures.length === 1) throw failures[0];
    },
  };
}

interface Applied {
  readonly text: string;
  /** What the server made of what was applied: it writes some values in another way. */
  readonly form: unknown;
  /** The last version that was found to have this form. */
  version: string;
}

function keyFor(type: ResourceType, object: Wanted<object>): string {
  return `${type.plural} ${keyOf(refOf(object))}`;
}

function cacheOf(kinds: readonly AppliedKind[], { plural }: ResourceType): Informer<object> {
  const found = kinds.find(({ type }) => type.plural === plural);
  if (found === undefined) throw new Error(`${plural} are kept, and not followed`);
  return found.cache;
}

/** The fields of `stored` that `wanted` has; fields that the server and others have added are left out. */
function partOf(stored: unknown, wanted: unknown): unknown {
  if (Array.isArray(wanted)) {
    const isAlike = Array.isArray(stored) && stored.length === wanted.length;
    return isAlike ? stored.map((each, index) => partOf(each, wanted[index])) : stored;
  }
  if (!isRecord(stored) || !isRecord(wanted)) return stored;
  return Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, partOf(stored[key], value)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
