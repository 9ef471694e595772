import type { Clock } from "../../../core/base/clock.ts";
import type { Session } from "../session/session.ts";

/** How a drain went. */
export interface Drained {
  readonly closed: number;
  /** Clients that were still there at the deadline. */
  readonly remaining: number;
}

/**
 * Ends every session at a boundary between requests: its last reply, then FIN. What crosses is read and never executed,
 * so that a client library sends it again elsewhere. Whoever blocks is left until shortly before the deadline.
 */
export async function drainSessions(
  sessions: ReadonlySet<Session>,
  deadlineMs: number,
  clock: Clock,
  unlisten: () => void,
): Promise<Drained> {
  const startedAt = performance.now();
  const seen = new Set<Session>();
  const left = (): number => deadlineMs - (performance.now() - startedAt);
  const patience = Math.min(LAST_CALL_MS, deadlineMs / 2);
  // connections that the kernel has taken already would be reset by an immediate end of listening
  await clock.sleep(Math.min(ACCEPT_MS, deadlineMs / 4));
  unlisten();
  while (sessions.size > 0 && left() > 0) {
    for (const session of [...sessions]) {
      seen.add(session);
      if (left() <= patience) session.finishNow();
      else session.leave();
    }
    await clock.sleep(Math.max(1, Math.min(POLL_MS, left())));
  }
  const remaining = sessions.size;
  for (const session of [...sessions]) session.destroy();
  return { closed: seen.size - remaining, remaining };
}

const ACCEPT_MS = 20;
const POLL_MS = 10;
const LAST_CALL_MS = 500;
