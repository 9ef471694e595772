import type { Site } from "../../../core/merge/site.ts";
import { encodeTransferBegin, encodeTransferredKey } from "../../../core/merge/transfer/transfer.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { Capture } from "../operations/capture.ts";
import type { Locks } from "../operations/locks.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { scanKeys } from "../state/scan-keys.ts";
import type { Transfer, TransferPart } from "./transfer.ts";

/** What gives all that a site has. */
export interface Giver {
  readonly client: EngineClient;
  readonly slice: Pick<SiteSlice, "holds">;
  readonly site: Site;
  readonly capture: Pick<Capture, "look">;
  /** While one is held, no operations of other sites are taken. */
  readonly holds: Locks;
  /** Resolves when own operations up to this number are kept as surely as the data. */
  readonly confirmed: (seq: number) => Promise<void>;
}

/** Keys that are read at once: the engine does nothing else meanwhile. */
const AT_ONCE = 20;

/** All that a site has for one that has nothing, while clients and other sites go on to write; rejects when the link of the site ends. */
export function giveAll(giver: Giver): Transfer {
  const begin = giver.site.transferBegin();
  return { begin: encodeTransferBegin(begin), parts: partsFrom(giver, begin.keys) };
}

async function* partsFrom(giver: Giver, known: readonly string[]): AsyncGenerator<TransferPart> {
  const { site, client, slice } = giver;
  using _kept = site.kept.keepAll();
  const busy: string[] = [];
  const look = async (keys: readonly string[]): Promise<readonly TransferPart[]> => {
    const looked = await lookAt(giver, keys);
    for (const each of looked.busy) busy.push(each);
    return looked.parts;
  };
  for (let at = 0; at < known.length; at += AT_ONCE) yield* await look(known.slice(at, at + AT_ONCE));
  const named = new Set(known);
  for await (const keys of scanKeys(client, slice)) {
    const others = keys.filter((key) => !named.has(key));
    for (let at = 0; at < others.length; at += AT_ONCE) yield* await look(others.slice(at, at + AT_ONCE));
  }
  yield* await heldLooks(giver, busy);
  await giver.confirmed(site.seq);
  for (const { bytes } of site.kept.after(NOTHING, Infinity)) yield { kind: "operation", body: bytes };
}

/** Keys on which operations are under way: while no more come, each round finds fewer. */
async function heldLooks(giver: Giver, keys: readonly string[]): Promise<readonly TransferPart[]> {
  using _held = giver.holds.begin();
  const parts: TransferPart[] = [];
  for (let left = keys; left.length > 0;) {
    const looked = await lookAt(giver, left.slice(0, AT_ONCE));
    for (const each of looked.parts) parts.push(each);
    left = [...left.slice(AT_ONCE), ...looked.busy];
  }
  return parts;
}

/** What was read is encoded at once, since its state goes on to change. */
async function lookAt({ site, capture }: Giver, keys: readonly string[]) {
  const [parts, busy]: [TransferPart[], string[]] = [[], []];
  if (keys.length === 0) return { parts, busy };
  await capture.look(keys, (key, effects) => {
    const transferred = site.keys.transferred(key, effects);
    if (transferred === undefined) busy.push(key);
    else parts.push({ kind: "key", body: encodeTransferredKey(transferred) });
  });
  return { parts, busy };
}
