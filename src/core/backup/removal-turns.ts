import type { Finding } from "../api/parts.ts";

/** What came of the removal of a backup; times in milliseconds since 1970. */
export interface TriedRemoval {
  readonly at: number;
  /** Why it does not go; undefined: it has gone. */
  readonly refusal: Finding | undefined;
}

/**
 * Which of the backups that are to go are tried now, and when those are that have to wait. What was never tried comes first, then what was refused the
 * longest time ago, so that one that never goes holds none up. Nothing is tried anew within `RETRY_MS` of a refusal; what was never tried waits so long
 * too, unless each refusal is of its backup alone.
 */
export function removalTurns(
  goes: readonly string[],
  tried: ReadonlyMap<string, TriedRemoval>,
  now: number,
): { readonly next: readonly string[]; readonly afterMs: number | undefined } {
  const left = goes.filter((uid) => tried.get(uid)?.refusal !== undefined || !tried.has(uid));
  const refused = left.flatMap((uid) => {
    const { at = 0, refusal } = tried.get(uid) ?? {};
    return refusal === undefined ? [] : [{ uid, at, isAlone: ALONE.includes(refusal.id) }];
  });
  const untried = left.filter((uid) => !tried.has(uid));
  const [refusedAt, storeRefusedAt] = [refused, refused.filter(({ isAlone }) => !isAlone)].map(latest);
  const again = isOver(refusedAt, now) ? refused.toSorted((one, other) => one.at - other.at).map(({ uid }) => uid) : [];
  const next = [...(isOver(storeRefusedAt, now) ? untried : []), ...again];
  if (left.length === 0 || next.length > 0) return { next, afterMs: undefined };
  return { next, afterMs: (refusedAt ?? now) + RETRY_MS - now };
}

function latest(refused: readonly { readonly at: number }[]): number | undefined {
  return refused.length === 0 ? undefined : Math.max(...refused.map(({ at }) => at));
}

/** A clock that was set back holds nothing up. */
function isOver(at: number | undefined, now: number): boolean {
  return at === undefined || at > now || now - at >= RETRY_MS;
}

/** What says nothing of the next backup, and costs little to find out. */
const ALONE: readonly string[] = [
  "BackupBadManifest",
  "BackupForeign",
  "BackupPathForeign",
  "SecretMissing",
  "SecretNotGiven",
];
const RETRY_MS = 600_000;
