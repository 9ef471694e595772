import { encodeComparedKey } from "../../../core/merge/state/compared-key.ts";
import { operationsOf } from "../../../core/merge/saved/regained-operations.ts";
import type { Site } from "../../../core/merge/site.ts";
import type { Capture } from "../operations/capture.ts";
import type { Locks } from "../operations/locks.ts";
import type { KeyWalk } from "./key-walk.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { scanKeys } from "./scan-keys.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";

/** What it takes to give keys as a site has them. */
export interface KeyGiver {
  readonly site: Site;
  readonly capture: Pick<Capture, "look" | "isReading" | "isReadingAll">;
  /** While one is held, no operations of other sites are taken. */
  readonly holds: Locks;
}

/** Keys of a site for one that is compared with it. */
export interface GivenKeys {
  /** As the site has them, each a `ComparedKey` (core/merge), encoded. */
  look(names: readonly string[]): Promise<readonly Uint8Array[]>;
  /** Names of those that the engine holds all the while, some at a time. */
  names(): AsyncGenerator<readonly string[]>;
  /** Sums of the digests of all keys for so many ranges of names; undefined while not all keys have been met. */
  sums(count: number): Uint32Array | undefined;
  /** Short digests of these keys, see `KeyWalk.digests`. */
  digests(names: readonly string[], areClose: boolean): Promise<Uint32Array>;
  /** The operations of that site which are here, encoded. */
  operationsOf(site: number): Promise<readonly Uint8Array[]>;
}

/** The keys of a site, from when that has begun. */
export function givenKeys(
  giver: KeyGiver & { readonly client: EngineClient; readonly slice: Pick<SiteSlice, "holds"> },
  begun: Promise<void>,
  walk: KeyWalk,
): GivenKeys {
  return {
    look: (names) => begun.then(() => giveKeys(giver, names)),
    names: () => scanKeys(giver.client, giver.slice),
    sums: (count) => walk.latest?.sums(count),
    digests: (names, areClose) => begun.then(() => walk.digests(names, areClose)),
    operationsOf: (site) => Promise.resolve(operationsOf(site, giver.site.save()).map(({ bytes }) => bytes)),
  };
}

/** Keys that are read at once: the engine does nothing else meanwhile. */
const KEYS_AT_ONCE = 20;

/** The keys as this site has them, each a `ComparedKey` (core/merge), encoded: in the order of their names. */
async function giveKeys({ site, capture, holds }: KeyGiver, names: readonly string[]): Promise<readonly Uint8Array[]> {
  const given = new Map<string, Uint8Array>();
  await eachKey({ capture, holds }, names, (key, effects) => {
    const compared = site.keys.compared(key, effects);
    if (compared === undefined) return false;
    // what a client is writing as a whole is in the engine, and nothing else is known of it yet
    given.set(
      key,
      encodeComparedKey(capture.isReading(key) ? { ...compared, effects: [], received: undefined } : compared),
    );
    return true;
  });
  return names.flatMap((name) => given.get(name) ?? []);
}

/** Reads keys until each was taken; those that were not are read again, and nothing comes from other sites until they are. */
export async function eachKey(
  { capture, holds }: Pick<KeyGiver, "holds"> & { readonly capture: Pick<Capture, "look"> },
  names: readonly string[],
  take: (...[key, effects]: Parameters<Parameters<Capture["look"]>[1]>) => boolean,
): Promise<void> {
  const look = async (keys: readonly string[]): Promise<readonly string[]> => {
    const left: string[] = [];
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE)
      await capture.look(keys.slice(at, at + KEYS_AT_ONCE), (key, effects) => {
        if (!take(key, effects)) left.push(key);
      });
    return left;
  };
  let left = await look(names);
  if (left.length === 0) return;
  using _held = holds.begin();
  while (left.length > 0) left = await look(left);
}
