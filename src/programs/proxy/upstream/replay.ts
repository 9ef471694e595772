import type { Clock } from "../../../core/base/clock.ts";
import type { Pin } from "./pin.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import { after } from "../timing/timer.ts";

/** What a new connection is told, and how many replies that causes. */
export interface Replay {
  readonly commands: readonly Buffer[];
  readonly replies: number;
}

/**
 * Tells a new connection all that the one before knew. What is published meanwhile goes to `message`. Rejects when the
 * engine is not ready for it; an engine's other errors are part of what it is told.
 */
export function replayOn(pin: Pin, replay: Replay, clock: Clock, message: (frame: Buffer) => void): Promise<void> {
  if (replay.replies === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    let left = replay.replies;
    const cancel = after(clock, REPLAY_MS, () => {
      reject(new Error("the engine does not answer"));
    });
    const fail = (why: string): void => {
      cancel();
      reject(new Error(why));
    };
    pin.attach({
      frame: (frame) => {
        if (isMessage(frame)) message(frame);
        else if (isRefusal(frame)) fail("the engine is not ready");
        else if (--left === 0) {
          cancel();
          resolve();
        }
      },
      closed: () => {
        fail("the engine closed the connection");
      },
    });
    for (const command of replay.commands) pin.write(command);
  });
}

const REPLAY_MS = 3000;
