import { SHARED_AT_ONCE } from "../../../ports/management/scripts-question.ts";

/** As many of the scripts as one message takes, those that were used last first. */
export function portionOf(entries: readonly Entry[]): { readonly taken: readonly Entry[]; readonly isAll: boolean } {
  const taken: Entry[] = [];
  let bytes = 0;
  for (const entry of entries.toReversed()) {
    const { length } = entry[1];
    if (length > SHARED_AT_ONCE.bytes) continue;
    if (taken.length >= SHARED_AT_ONCE.scripts || bytes + length > SHARED_AT_ONCE.bytes) return { taken, isAll: false };
    taken.push(entry);
    bytes += length;
  }
  return { taken, isAll: true };
}

/** A script by its digest. */
type Entry = readonly [string, Buffer];
