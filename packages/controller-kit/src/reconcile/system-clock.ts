import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { uptimeMs } from "./uptime.ts";

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => new Date(),
  uptimeMs,
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.reason ?? error; // node wraps the reason in an AbortError
    }
  },
};
