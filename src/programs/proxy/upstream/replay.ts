import type { Clock } from "#kit/base/clock";
import type { Pin } from "./pin.ts";
import { isBusyReply, isRefusal } from "../protocol/refusals.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import { startTimer } from "../timing/timer.ts";

/** Commands that bring a new connection to the state of another one, and how many replies they cause. */
export interface Replay {
  readonly commands: readonly Buffer[];
  readonly replies: number;
}

/**
 * Sends the commands and waits for their replies. Messages that are published meanwhile go to `message`. Rejects when the
 * engine is not ready or gone; other error replies count as replies, as they did on the connection before.
 */
export function replayOn(pin: Pin, replay: Replay, clock: Clock, message: (frame: Buffer) => void): Promise<void> {
  if (replay.replies === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    let left = replay.replies;
    const cancel = startTimer(clock, REPLAY_MS, () => {
      reject(new Error("the engine does not answer"));
    });
    const fail = (why: string): void => {
      cancel();
      reject(new Error(why));
    };
    pin.attach({
      frame: (frame) => {
        if (isMessage(frame)) message(frame);
        else if (isRefusal(frame) || isBusyReply(frame)) fail("the engine is not ready");
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
