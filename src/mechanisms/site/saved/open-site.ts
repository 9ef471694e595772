import {
  isOutnumbered,
  originAfter,
  originOf,
  type Numbered,
  type OtherSites,
} from "../../../core/merge/operations/origin.ts";
import { decodeSaved, type SavedSite } from "../../../core/merge/saved/saved-site.ts";
import { Site } from "../../../core/merge/site.ts";
import { seqOf } from "../../../core/merge/operations/version-vector.ts";
import type { Attached } from "../../../ports/resp/replica-handshake.ts";
import { FIRST_PLACE, dueAt, isFirstAt, type Place } from "./place.ts";
import type { SavedLog } from "./saved-log.ts";

/** Keys of a summary that are written at once. */
const PART_KEYS = 100;

/** A site as the link that was here before left it, or one that begins. */
export interface OpenedSite {
  readonly site: Site;
  /** Where its stream goes on. */
  readonly from: Place;
  /** What was captured before is not known: no mark of an earlier link will come by. */
  readonly isAnew: boolean;
}

/** What a site is opened with. */
export interface OpenSiteOptions {
  /** Number of the site. */
  readonly id: number;
  /** All sites, this one included. */
  readonly sites: readonly number[];
  readonly keptBytes: number;
  readonly life: string;
  /** The engine holds nothing. */
  readonly isEmpty: boolean;
  /** The engine process that is followed. */
  readonly engineRun: string;
  /** What the others have of the site; complete where the same process was followed before, which forgets nothing. */
  readonly others: OtherSites;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Opens a site where the stream goes on from what was saved. When the engine cannot go on there, what was written since is not known: what the
 * engine holds beyond what is known is still to be found. A site numbers its operations anew then, and when it may have given numbers that its
 * engine does not know any more.
 */
export function openSite(options: OpenSiteOptions, saved: SavedLog, stream: Attached): OpenedSite {
  const { id, isEmpty, engineRun: engine } = options;
  const { place } = saved;
  const state = saved.checkpoint && decodeSaved(saved.checkpoint);
  const origin = originHere(options, numberedIn(place?.origin ?? originOf(id, 0), state, saved), stream, place);
  const site = restoredSite(options, origin, { ...saved, state });
  const begun: Place = {
    ...stream.position,
    ...FIRST_PLACE,
    number: place?.number ?? 0,
    origin,
    engine,
    announced: place === undefined && isEmpty,
    announcedKnown: place === undefined,
    transferred: place?.transferred === true,
    isFirst: place === undefined,
  };
  if (place === undefined) return { site, from: begun, isAnew: false };
  const from = stream.resumed ? { ...place, ...stream.position, origin, engine, isFirst: isFirstAt(place) } : begun;
  if (!stream.resumed) site.appliedAll();
  return { site, from, isAnew: !stream.resumed };
}

/** A site as it was saved, with that origin from now on. */
export function restoredSite(
  { sites, keptBytes, life }: Pick<OpenSiteOptions, "sites" | "keptBytes" | "life">,
  origin: number,
  { place, entries, state }: Pick<SavedLog, "place" | "entries"> & { readonly state: SavedSite | undefined },
): Site {
  const options = { origin, sites, life, limits: { keptBytes, earlyBytes: keptBytes, partKeys: PART_KEYS } };
  return place === undefined
    ? Site.empty(options)
    : Site.restored(options, { saved: state, log: entries, due: dueAt(place) });
}

/** The origin of the site: only a site that remembers all that it has sent keeps its former one. */
function originHere(
  { others, now }: OpenSiteOptions,
  last: Numbered,
  { resumed }: Attached,
  place: Place | undefined,
): number {
  const isSure = others.isComplete && !isOutnumbered(last, others.received);
  return isSure && (resumed || place === undefined) ? last.origin : originAfter(last, others, now);
}

/** Its last own operation that the engine remembers. */
function numberedIn(origin: number, saved: SavedSite | undefined, { entries }: SavedLog): Numbered {
  const logged = entries.flatMap((entry) =>
    entry.kind !== "summary" && entry.operation.dot.origin === origin ? entry.operation.dot.seq : [],
  );
  return { origin, seq: Math.max(saved === undefined ? 0 : seqOf(saved.received, origin), ...logged.slice(-1)) };
}
