import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { uptimeMs } from "./uptime.ts";

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => new Date(),
  uptimeMs,
  sleep: async (ms, signal) => {
    try {
      for (let leftMs = ms; ; leftMs -= LONGEST_TIMER_MS) {
        await sleep(Math.min(leftMs, LONGEST_TIMER_MS), undefined, signal === undefined ? {} : { signal });
        if (!(leftMs > LONGEST_TIMER_MS)) return;
      }
    } catch (error) {
      throw signal?.reason ?? error; // node wraps the reason in an AbortError
    }
  },
};

/** A timer of node that is to run for longer runs for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
