import { assertNever } from "../base/assert-never.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, isFault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { faults } from "../kube/faults.ts";
import type { Outcome } from "./outcome.ts";
import { WorkQueue } from "./queue.ts";

export interface ControllerOptions {
  readonly name: string;
  /** Brings the object with this key one step closer to what is wanted: it gets the key, never what happened. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>;
  /** How many different keys are worked on at once; 1 when absent. */
  readonly workers?: number;
  readonly log: Log;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Controller {
  /** Asks for a pass over `key`, at once or after `afterMs` milliseconds. */
  enqueue(key: string, afterMs?: number): void;
  /** Resolves after the signal has aborted and the passes under way have ended. */
  readonly stopped: Promise<void>;
}

/** Runs passes until the signal aborts; a pass that throws is logged and tried again with back-off. */
export function runController({
  name,
  reconcile,
  workers = 1,
  clock,
  signal,
  ...options
}: ControllerOptions): Controller {
  const queue = new WorkQueue(clock);
  const log = options.log.with({ controller: name });
  const work = async (): Promise<void> => {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      try {
        follow(queue, key, await reconcile(key, signal));
      } catch (error) {
        if (!signal.aborted) retry(queue, key, error, log);
      } finally {
        queue.done(key);
      }
    }
  };
  const stop = (): void => {
    queue.close();
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return {
    enqueue: (key, afterMs = 0) => {
      queue.addAfter(key, afterMs);
    },
    stopped: Promise.all(Array.from({ length: workers }, work)).then(() => undefined),
  };
}

function follow(queue: WorkQueue, key: string, outcome: Outcome): void {
  queue.forget(key);
  switch (outcome.kind) {
    case "rest":
      return;
    case "again":
      queue.addAfter(key, Math.max(1, outcome.afterMs)); // a pass that asks for itself must not take the whole turn
      return;
    default:
      assertNever(outcome);
  }
}

function retry(queue: WorkQueue, key: string, error: unknown, log: Log): void {
  const isRace = isFault(error, faults.conflict) || isFault(error, faults.alreadyExists);
  if (isRace) log.debug("another writer was faster, trying again", { key, error });
  else log.error("pass failed, trying again", { key, error });
  const asked = error instanceof Fault ? error.details["retryAfterMs"] : undefined;
  queue.retry(key, typeof asked === "number" ? asked : 0);
}
