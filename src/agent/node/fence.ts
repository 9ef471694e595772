import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { callEngine } from "../../resp/engine-client.ts";
import type { EngineAddress } from "../../resp/engine-client.ts";

export interface FenceOptions {
  /** Milliseconds since the lease of this node was renewed. */
  readonly sinceRenewalMs: () => number;
  /** Whether every other node answers: then whoever leads sees this one alive, lease or not. */
  readonly isSeenByAll: () => Promise<boolean>;
  /** Engines of this node that serve as primary. */
  readonly primaries: () => Promise<readonly EngineAddress[]>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Well below the lease of a node, so that writes stop before another node may take over. */
const FENCE_AFTER_MS = 4_000;
const LOOK_MS = 500;
/** A fence that is not renewed ends by itself. */
const PAUSE_MS = 10_000;

/**
 * Pauses writes on the primaries of a node that is cut off: one that cannot renew its lease and that not all others reach.
 * With the API server alone away, all nodes see each other and writes go on.
 */
export async function fenceWhenCutOff(options: FenceOptions): Promise<void> {
  const { clock, log, signal } = options;
  let fenced = false;
  while (!signal.aborted) {
    const cutOff = options.sinceRenewalMs() >= FENCE_AFTER_MS && !(await options.isSeenByAll());
    if (cutOff !== fenced) log.warn(cutOff ? "cut off: writes are paused" : "no longer cut off: writes go on");
    if (cutOff) await tellAll(options, "CLIENT", "PAUSE", String(PAUSE_MS), "WRITE");
    else if (fenced) await tellAll(options, "CLIENT", "UNPAUSE");
    fenced = cutOff;
    await clock.sleep(LOOK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

async function tellAll({ primaries, log }: FenceOptions, ...command: readonly string[]): Promise<void> {
  await Promise.all(
    (await primaries()).map(async (address) => {
      try {
        await callEngine({ ...address, timeoutMs: 1_000 }, ...command);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        log.warn("an engine could not be told to pause or to go on", { port: address.port, error });
      }
    }),
  );
}
