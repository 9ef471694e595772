/** When a key is read, and how often it was read before while the site wrote it again. */
export interface ReadTurn {
  /** See `Unread`. */
  readonly latest: number;
  readonly tries: number;
  /** Milliseconds. */
  readonly afterMs: number;
}

/** No client has changed the key. */
export const AT_ONCE: ReadTurn = { latest: 0, tries: 0, afterMs: 0 };

/** A client has changed the key, and the stream shows that up to there. */
export function changedBefore(latest: number): ReadTurn {
  return { ...AT_ONCE, latest };
}

/** The site was writing the key again, which hides what clients have written. */
export function afterRepair({ tries, latest }: Omit<ReadTurn, "afterMs">): ReadTurn {
  return { latest, tries: tries + 1, afterMs: 5 };
}

/** Something comes back that changes the key. */
export function whenBack({ tries, latest }: Omit<ReadTurn, "afterMs">): ReadTurn {
  return { latest, tries, afterMs: 100 };
}
