import type { KubeObject } from "../objects/object.ts";

/** One committed change. */
export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly bucket: string;
  readonly key: string;
  /** After the change; for DELETED the last state, with the revision of the deletion. */
  readonly object: KubeObject;
  /** Before the change; absent for ADDED. */
  readonly previous?: KubeObject;
}

/** The last changes, at most `limit` of them. */
export interface History {
  add(change: Change): void;
  /** The changes after `revision`; undefined when some of them are no longer known. */
  after(revision: number): Change[] | undefined;
}

/** A history whose first known change comes after revision `start()`; that is where the file's records begin. */
export function createHistory(limit: number, start: () => number): History {
  let changes: Change[] = [];
  let dropped: number | undefined;
  return {
    add: (change) => {
      changes.push(change);
      // trimmed in large steps, so that a full history costs no copy for each change
      if (changes.length < limit * 2) return;
      const cut = changes.length - limit;
      dropped = changes[cut - 1]?.revision;
      changes = changes.slice(cut);
    },
    after: (revision) => {
      if (revision < (dropped ?? start())) return undefined;
      return changes.slice(firstAfter(changes, revision));
    },
  };
}

function firstAfter(changes: readonly Change[], revision: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
