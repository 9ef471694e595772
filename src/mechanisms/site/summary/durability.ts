import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { engineCodeOf, errorReplyOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { listOf } from "../../../ports/resp/reply.ts";
import { LINK_DATABASE, LINK_KEYS } from "../saved/marks.ts";
import type { Wakeup } from "../operations/wakeup.ts";

export interface DurabilityOptions {
  /** A connection of its own, since waiting for the disk keeps all behind it. */
  readonly client: EngineClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long the engine is asked to wait at once, and left alone between, in milliseconds. */
const WAIT_MS = 1_000;
const PAUSE_MS = 200;
/** An engine that cannot be asked syncs each second, and may be late by another one. */
const UNASKED_MS = 3_000;

/**
 * Until the signal: calls `onDurable` with what was written when it is on the disk of the engine. Without an append-only file all counts as on
 * the disk: the engine starts again without data, and gets it from the other sites.
 */
export async function followDisk<T>(
  options: DurabilityOptions,
  written: { readonly changed: Wakeup; readonly latest: () => T },
  onDurable: (reached: T) => void,
): Promise<void> {
  const { client, clock, signal } = options;
  await client.call("SELECT", LINK_DATABASE);
  let durable: T | undefined;
  while (!signal.aborted) {
    const more = written.changed.next();
    const reached = written.latest();
    if (reached === durable) await more;
    else if (await isOnDisk(options)) onDurable((durable = reached));
    await clock.sleep(PAUSE_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

/** True when everything that was written before is on the disk, if the engine has one. */
async function isOnDisk({ client, clock, signal }: DurabilityOptions): Promise<boolean> {
  try {
    // an engine waits for what the connection itself has written
    await client.call("SET", LINK_KEYS.confirmation, "");
    const [local] = listOf(await client.call("WAITAOF", 1, 0, WAIT_MS));
    return Number(local) >= 1;
  } catch (error) {
    if (!(error instanceof Fault) || !REFUSALS.has(engineCodeOf(error) ?? "")) throw error;
    const said = errorReplyOf(error) ?? "";
    if (/appendonly is disabled/.test(said)) return true;
    if (!/unknown command/i.test(said)) return false;
    // of an older version
    await clock.sleep(UNASKED_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    return true;
  }
}

const REFUSALS = new Set(["ERR", "OOM", "MISCONF", "NOREPLICAS"]);
