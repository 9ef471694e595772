import { randomUUID } from "node:crypto";
import type { Log } from "../../../core/base/log.ts";
import type { Session } from "../session/session.ts";
import { markChannel } from "./subscription-mirror.ts";
import type { Upstream } from "../upstream/upstream.ts";

/**
 * During a hold: every subscriber listens at the primary-to-be as well, and a mark tells where one connection takes over
 * from the other. Those that cannot in time subscribe there after the release, and may miss what is published meanwhile.
 */
export async function followSubscribers(
  sessions: Iterable<Session>,
  from: Upstream,
  target: Upstream,
  withinMs: number,
  log: Log,
): Promise<void> {
  const listeners = [...sessions].map(({ pinned }) => pinned).filter((pinned) => pinned !== undefined);
  const channel = markChannel(randomUUID());
  const following = listeners.filter((pinned) => pinned.listening).map((pinned) => pinned.follow(target, channel));
  if (following.length === 0) return;
  const patience = AbortSignal.timeout(withinMs);
  try {
    const outcomes = await unlessAborted(Promise.allSettled(following), patience);
    const shadows = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
    const control = await from.control();
    await control.call("PUBLISH", channel, "");
    await unlessAborted(Promise.all(shadows.map((shadow) => shadow.marked)), patience);
  } catch (error) {
    log.warn("some subscribers will be moved later than their publishers", { error });
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(new Error("not in time"));
    });
  });
  return Promise.race([work, aborted]);
}
