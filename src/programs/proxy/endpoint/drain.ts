import type { Clock } from "#kit/base/clock";
import { startPatience } from "#kit/timing/patience";
import type { SessionLife } from "../session/session-life.ts";
import type { Moving } from "../session/moving.ts";

/** A session, as a drain sees it. */
export interface DrainableSession {
  readonly moving: Pick<Moving, "ask">;
  readonly life: Pick<SessionLife, "drain" | "drainNow" | "destroy">;
}

/** The result of a drain. */
export interface DrainResult {
  readonly closed: number;
  /** Clients that were still connected at the deadline. */
  readonly remaining: number;
}

/** What a drain does with its endpoint. */
export interface DrainSteps {
  /** No clients are accepted any more. */
  readonly stopListening: () => void;
  /** False as soon as the endpoint serves again: clients that come then are not of this drain. */
  readonly goesOn: () => boolean;
}

/**
 * Ends every session at a boundary between requests: its last reply, then FIN. Requests that arrive later are read and not
 * executed, so that a client library sends them again elsewhere. A blocked client is left until shortly before the deadline.
 * Clients that want to know are asked first, and have a little time to leave: their libraries do not send again.
 */
export async function drainSessions(
  sessions: ReadonlySet<DrainableSession>,
  deadlineMs: number,
  clock: Clock,
  { stopListening, goesOn }: DrainSteps,
): Promise<DrainResult> {
  const seen = new Set<DrainableSession>();
  using deadline = new Deadline(deadlineMs);
  using lastCall = new Deadline(deadlineMs - Math.min(LAST_CALL_MS, deadlineMs / 2));
  // connections that the kernel has accepted already would be reset by an immediate end of listening
  await clock.sleep(Math.min(ACCEPT_MS, deadlineMs / 4));
  if (goesOn()) stopListening();
  const seconds = Math.min(MOVE_SECONDS, Math.floor(deadlineMs / 2_000));
  const notice = { number: clock.now().getTime(), seconds };
  const asked = new Set([...sessions].filter((session) => seconds > 0 && goesOn() && session.moving.ask(notice)));
  using leave = new Deadline(seconds * 1_000);
  while (sessions.size > 0 && !deadline.isOver && goesOn()) {
    for (const session of [...sessions]) {
      seen.add(session);
      if (!leave.isOver && asked.has(session)) continue;
      drain(session, lastCall.isOver);
    }
    await clock.sleep(POLL_MS);
  }
  const remaining = sessions.size;
  if (goesOn()) for (const session of [...sessions]) session.life.destroy();
  return { closed: seen.size - remaining, remaining };
}

/** The end of a time in which sessions are looked at: one in which this process stood still does not count. */
class Deadline implements Disposable {
  isOver = false;
  readonly #cancel: () => void;

  constructor(ms: number) {
    this.#cancel = startPatience(ms, () => {
      this.isOver = true;
    });
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}

function drain({ life }: DrainableSession, isLastCall: boolean): void {
  if (isLastCall) life.drainNow();
  else life.drain();
}

/** Libraries that are given no address connect again after half of it. */
const MOVE_SECONDS = 2;
const ACCEPT_MS = 20;
const POLL_MS = 10;
const LAST_CALL_MS = 500;
