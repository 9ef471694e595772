import { randomUUID } from "node:crypto";
import type { Log } from "#kit/base/log";
import type { Upstream } from "../upstream/upstream.ts";
import { MARKER_CHANNEL } from "./marker-listening.ts";
import type { SubscriptionMirror } from "./subscription-mirror.ts";

/** A session that may have subscribed to channels. */
export interface Subscriber {
  readonly isListening: () => boolean;
  /** Subscribes at the primary-to-be as well; resolves when a marker published from now on arrives on both connections. */
  readonly mirror: (target: Upstream, marker: string) => Promise<SubscriptionMirror>;
}

/**
 * During a hold: each subscriber subscribes at the primary-to-be as well, and a marker says where one connection takes over
 * from the other. A subscriber that is not ready in time subscribes after the release, and may miss messages until then.
 */
export async function mirrorSubscribers(
  subscribers: readonly Subscriber[],
  from: Upstream,
  target: Upstream,
  withinMs: number,
  log: Log,
): Promise<void> {
  const marker = randomUUID();
  const mirroring = subscribers
    .filter((subscriber) => subscriber.isListening())
    .map((subscriber) => subscriber.mirror(target, marker));
  if (mirroring.length === 0) return;
  const deadline = AbortSignal.timeout(withinMs);
  try {
    const outcomes = await unlessAborted(Promise.allSettled(mirroring), deadline);
    const mirrors = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
    const control = await from.control();
    await control.call("PUBLISH", MARKER_CHANNEL, marker);
    await unlessAborted(Promise.all(mirrors.map((mirror) => mirror.settled)), deadline);
  } catch (error) {
    log.warn("some subscribers move later than their publishers", { error });
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
