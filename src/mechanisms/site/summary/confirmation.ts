import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { LINK_DATABASE, LINK_KEYS } from "../saved/marks.ts";
import type { Wakeup } from "../operations/wakeup.ts";

export interface ConfirmationOptions {
  /** A connection of its own, since waiting for replicas keeps all behind it. */
  readonly client: EngineClient;
  readonly clock: Clock;
  /** Replicas in sync that have to have it. */
  readonly replicas: () => number;
  readonly signal: AbortSignal;
}

/** How long the engine is asked to wait at once, and left alone after a refusal, in milliseconds. */
const WAIT_MS = 500;
const REFUSED_MS = 200;

/** Until the signal: calls `onConfirmed` with what was written when the replicas that may take over have it. */
export async function confirmWrites<T>(
  options: ConfirmationOptions,
  written: { readonly changed: Wakeup; readonly latest: () => T },
  onConfirmed: (reached: T) => void,
): Promise<void> {
  const { client, signal, replicas } = options;
  await client.call("SELECT", LINK_DATABASE);
  let confirmed: T | undefined;
  while (!signal.aborted) {
    const more = written.changed.next();
    const reached = written.latest();
    if (reached === confirmed) await more;
    else if (replicas() === 0 || (await reachesReplicas(options))) {
      confirmed = reached;
      onConfirmed(reached);
    }
  }
}

/** True when everything that was written before has reached as many replicas as are in sync. */
async function reachesReplicas({ client, clock, replicas, signal }: ConfirmationOptions): Promise<boolean> {
  try {
    // an engine waits for what the connection itself has written
    await client.call("SET", LINK_KEYS.confirmation, "");
    return Number(await client.call("WAIT", replicas(), WAIT_MS)) >= replicas();
  } catch (error) {
    if (!(error instanceof Fault) || error.details["engineCode"] !== "OOM") throw error;
    await clock.sleep(REFUSED_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    return false;
  }
}
