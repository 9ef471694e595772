import type { Clock } from "#kit/base/clock";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { scanKeys } from "./scan-keys.ts";

export interface AnnounceOptions {
  readonly client: EngineClient;
  readonly slice: Pick<SiteSlice, "holds">;
  readonly clock: Clock;
  /** Makes the key an operation of this site, and resolves when it is one. */
  readonly read: (key: string) => Promise<void>;
  /** False while so much waits that the rest has to. */
  readonly hasRoom: () => boolean;
  readonly signal: AbortSignal;
}

/** Keys that are read at once. */
const COUNT = 100;
const ROOM_MS = 20;

/**
 * Makes every key that the engine holds an operation of this site, and every key that is `known`, also one that the engine has not:
 * what others know of it may be less.
 */
export async function announceKeys(options: AnnounceOptions, known: readonly string[]): Promise<void> {
  const { client, read, signal, slice } = options;
  for (let at = 0; at < known.length && !signal.aborted; at += COUNT) {
    await Promise.all(known.slice(at, at + COUNT).map(read));
    await haveRoom(options);
  }
  for await (const keys of scanKeys(client, slice)) {
    if (signal.aborted) return;
    await Promise.all(keys.map(read));
    await haveRoom(options);
  }
}

async function haveRoom({ clock, hasRoom, signal }: AnnounceOptions): Promise<void> {
  // aborted: the loops look at the signal
  while (!hasRoom() && !signal.aborted) await clock.sleep(ROOM_MS, signal).catch(() => undefined);
}
