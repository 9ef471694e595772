import { incarnationOf, originOf } from "../../core/merge/origin.ts";
import { decodeSaved } from "../../core/merge/saved-site.ts";
import { Site } from "../../core/merge/site.ts";
import type { Attached } from "../../ports/resp/replica-handshake.ts";
import { FIRST_PLACE, dueAt, type Place } from "./place.ts";
import type { SavedLog } from "./saved-log.ts";

/** Keys of a summary that are written at once. */
const PART_KEYS = 100;

/** A site as the link that was here before left it, or one that begins. */
export interface OpenedSite {
  readonly site: Site;
  /** Where its stream goes on. */
  readonly from: Place;
  /** It numbers its operations anew: no mark of an earlier link will come by. */
  readonly isAnew: boolean;
}

/**
 * What was saved goes on where the stream does. When the engine cannot go on there, what was written since is not known: the
 * site numbers its operations anew, and what the engine holds beyond what is known is still to be found.
 */
export function openSite(
  { id, sites, keptBytes }: { readonly id: number; readonly sites: readonly number[]; readonly keptBytes: number },
  { place, checkpoint, entries }: SavedLog,
  { position, resumed }: Attached,
  { life, isEmpty }: { readonly life: string; readonly isEmpty: boolean },
): OpenedSite {
  const limits = { keptBytes, partKeys: PART_KEYS };
  const begin = (incarnation: number): Place => ({
    ...{ ...position, ...FIRST_PLACE, number: place?.number ?? 0, origin: originOf(id, incarnation) },
    ...{ announced: place === undefined && isEmpty, announcedKnown: place === undefined },
    transferred: place?.transferred === true,
  });
  if (place === undefined) {
    const from = begin(0);
    return { site: Site.empty({ origin: from.origin, sites, life, limits }), from, isAnew: false };
  }
  const from = resumed ? { ...place, ...position } : begin(incarnationOf(place.origin) + 1);
  const options = { origin: from.origin, sites, life, limits };
  const saved = checkpoint && decodeSaved(checkpoint);
  const site = Site.restored(options, { saved, log: entries, due: dueAt(place) });
  if (!resumed) site.appliedAll();
  return { site, from, isAnew: !resumed };
}
