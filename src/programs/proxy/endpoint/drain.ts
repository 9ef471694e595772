import type { Clock } from "#kit/base/clock";
import { startPatience } from "#kit/timing/patience";
import type { SessionLife } from "../session/session-life.ts";
import type { MoveNotice, Moving } from "../session/moving.ts";

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
  /** Clients of a cluster have its address in their map of slots, and connect there until they have asked for the next map. */
  readonly isInMaps: boolean;
  /** False as soon as the endpoint serves again: clients that come then are not of this drain. */
  readonly goesOn: () => boolean;
}

/**
 * Ends every session at a boundary between requests: its last reply, then FIN. Requests that arrive later are read and not
 * executed, so that a client library sends them again elsewhere. A blocked client is left until shortly before the deadline.
 * Clients that want to know are asked first, and have a little time to leave: their libraries do not send again.
 * Where clients may come by a map of before, they are accepted and served until none has come or gone for a while: a library that is refused there
 * gives the request up, while one that is served is told by MOVED, or asks for the map.
 */
export async function drainSessions(
  sessions: ReadonlySet<DrainableSession>,
  deadlineMs: number,
  clock: Clock,
  { stopListening, goesOn, isInMaps }: DrainSteps,
): Promise<DrainResult> {
  const seen = new Set<DrainableSession>();
  using deadline = new Deadline(deadlineMs);
  using lastCall = new Deadline(deadlineMs - Math.min(LAST_CALL_MS, deadlineMs / 2));
  using late = new LateClients(sessions, lateMs(isInMaps, deadlineMs), lastCall);
  // connections that the kernel has accepted already would be reset by an immediate end of listening
  await clock.sleep(Math.min(ACCEPT_MS, deadlineMs / 4));
  const seconds = Math.min(MOVE_SECONDS, Math.floor(deadlineMs / 2_000));
  const asked = goesOn() ? askToMove(sessions, { number: clock.now().getTime(), seconds }) : NOBODY;
  using leave = new Deadline(seconds * 1_000);
  while (!deadline.isOver && goesOn()) {
    if (!late.mayCome) {
      // a connection that was accepted a moment ago is a session by then, and ends as the others do
      stopListening();
      if (sessions.size === 0) break;
    }
    for (const session of [...sessions]) {
      seen.add(session);
      if (leave.isOver || !asked.has(session)) late.drain(session);
    }
    await clock.sleep(POLL_MS);
  }
  const remaining = sessions.size;
  if (goesOn()) endAll(sessions, stopListening);
  return { closed: seen.size - remaining, remaining };
}

/** Those that are asked, and have as long as it says. */
function askToMove(sessions: ReadonlySet<DrainableSession>, notice: MoveNotice): ReadonlySet<DrainableSession> {
  return notice.seconds > 0 ? new Set([...sessions].filter(({ moving }) => moving.ask(notice))) : NOBODY;
}

const NOBODY: ReadonlySet<DrainableSession> = new Set();

function endAll(sessions: ReadonlySet<DrainableSession>, stopListening: () => void): void {
  stopListening();
  for (const session of [...sessions]) session.life.destroy();
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

/** Those that come after the drain has begun, by a map of before. */
class LateClients implements Disposable {
  readonly #sessions: ReadonlySet<DrainableSession>;
  readonly #ms: number;
  /** Those that were connected at the last look. */
  #known: ReadonlySet<DrainableSession>;
  readonly #served = new Map<DrainableSession, Deadline>();
  readonly #lastCall: Deadline;
  /** Since a client has come or gone. */
  #quiet: Deadline;

  /** Each is served for `ms`, and so long after the last one that has come or gone none is expected any more; 0: none is at all. */
  constructor(sessions: ReadonlySet<DrainableSession>, ms: number, lastCall: Deadline) {
    this.#sessions = sessions;
    this.#ms = ms;
    this.#lastCall = lastCall;
    this.#known = new Set(sessions);
    this.#quiet = new Deadline(ms);
  }

  /** Whether others may come: clients that are connected may not have noticed yet that they are to go. */
  get mayCome(): boolean {
    if (this.#ms === 0 || this.#lastCall.isOver) return false;
    this.#look();
    return this.#sessions.size > 0 || !this.#quiet.isOver;
  }

  /** Ends a session at the next boundary, unless it is served for now. */
  drain(session: DrainableSession): void {
    if (this.#lastCall.isOver) session.life.drainNow();
    else if (this.#served.get(session)?.isOver !== false) session.life.drain();
  }

  #look(): void {
    const come = [...this.#sessions].filter((session) => !this.#known.has(session));
    if (come.length === 0 && this.#known.size === this.#sessions.size) return;
    for (const session of come) this.#served.set(session, new Deadline(this.#ms));
    for (const [session, time] of this.#served)
      if (!this.#sessions.has(session)) {
        time[Symbol.dispose]();
        this.#served.delete(session);
      }
    this.#known = new Set(this.#sessions);
    this.#quiet[Symbol.dispose]();
    this.#quiet = new Deadline(this.#ms);
  }

  [Symbol.dispose](): void {
    this.#quiet[Symbol.dispose]();
    for (const time of this.#served.values()) time[Symbol.dispose]();
  }
}

function lateMs(isInMaps: boolean, deadlineMs: number): number {
  return isInMaps ? Math.min(LATE_MS, deadlineMs / 4) : 0;
}

/** Libraries that are given no address connect again after half of it. */
const MOVE_SECONDS = 2;
const ACCEPT_MS = 20;
const POLL_MS = 10;
const LAST_CALL_MS = 500;
/** So long may a library on a busy machine take to connect, or to ask for the next map after it was told that slots have moved. */
const LATE_MS = 2_000;
