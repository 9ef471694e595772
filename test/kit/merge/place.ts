import type { Effect, Operation } from "../../../src/core/merge/operation.ts";
import { Site, type Apply } from "../../../src/core/merge/site.ts";
import type { KeptOperation } from "../../../src/core/merge/kept-operations.ts";
import { decodeSaved, encodeSaved } from "../../../src/core/merge/saved-site.ts";
import { decodeOperation } from "../../../src/core/merge/operation-codec.ts";
import {
  decodeTransferredKey,
  transferredSite,
  transferWrites,
  type TransferBegin,
} from "../../../src/core/merge/transfer.ts";
import { ModelEngine } from "./model-engine.ts";

/** What an engine did: a command of a client, a transaction of the site, or a read at a point of the stream. */
export type Entry =
  | { readonly kind: "command"; readonly command: readonly string[] }
  | { readonly kind: "mark"; readonly mark: string }
  | { readonly kind: "read"; readonly key: string; readonly life: number; readonly effects: readonly Effect[] }
  | ({ readonly kind: "give"; readonly effects: readonly Effect[] } & Gift);

/** A key for a site that joins, asked for by one process of the site that gives. */
interface Gift {
  readonly key: string;
  readonly life: number;
  readonly transfer: Transfer;
}

/** Where to read on in the stream, and the keys that were to be read before it. */
export interface Position {
  readonly at: number;
  readonly unread: readonly string[];
}

export type Work =
  | { readonly kind: "apply"; readonly apply: Apply }
  | { readonly kind: "read"; readonly key: string }
  | { readonly kind: "log"; readonly operation: Operation; readonly position: Position }
  | { readonly kind: "save"; readonly bytes: Uint8Array; readonly position: Position }
  | ({ readonly kind: "give" } & Gift)
  /** Everything that was given is in the log. */
  | { readonly kind: "given"; readonly transfer: Transfer };

/** All keys of one site on their way to one that has nothing. */
export interface Transfer {
  readonly from: number;
  readonly to: number;
  /** How the site that gets it numbers its operations then. */
  readonly origin: number;
  readonly begin: TransferBegin;
  missing: number;
  readonly keys: Uint8Array[];
}

interface Logged {
  readonly bytes: Uint8Array;
  /** Of an own operation. */
  readonly position?: Position;
}

/** A site with its engine. What is not read-only is lost when its process ends. */
export interface Place {
  readonly id: number;
  site: Site;
  origin: number;
  /** `new`: it has nothing yet; `joined`: its clients wait for the other sites; `gone`: it was removed. */
  state: "new" | "joined" | "open" | "gone";
  /** The sites as it was told. */
  sites: readonly number[];
  /** What it gets. */
  transfer: Transfer | undefined;
  /** What the site has read of the stream. */
  at: number;
  /** The keys that it has asked for, or will ask for, once for each time. */
  unread: string[];
  /** What the engine has not been asked for yet. */
  work: Work[];
  /** After a restart: how far the stream had come then. */
  catchUp: number | undefined;
  life: number;
  engine: ModelEngine;
  stream: Entry[];
  /** What the engine holds for the site. */
  stored: { saved: { readonly bytes: Uint8Array; readonly position: Position } | undefined; log: Logged[] };
  /** Difference of the clock of the site, in milliseconds. */
  readonly skew: number;
}

/** A site that has nothing. */
export function newPlace(id: number, sites: readonly number[], skew: number, state: Place["state"]): Place {
  return { id, sites, skew, ...nothing(id, sites, 0), state };
}

/** All that a place has is gone, with its engine. */
export function loseAll(place: Place): void {
  Object.assign(place, nothing(place.id, place.sites, place.life + 1));
}

function nothing(id: number, sites: readonly number[], life: number): Omit<Place, "id" | "sites" | "skew"> {
  return {
    ...{ origin: id, state: "new", transfer: undefined, catchUp: undefined, at: 0, life },
    ...{ site: Site.empty({ origin: id, sites, life: String(life) }), unread: [], work: [] },
    ...{ engine: new ModelEngine(), stream: [], stored: { saved: undefined, log: [] } },
  };
}

/** Another process takes the place of the one of the site, with what the engine has of it; the keys that it has to read again. */
export function restart(place: Place): readonly string[] {
  const { saved, log } = place.stored;
  const position = log.findLast((logged) => logged.position !== undefined)?.position ?? saved?.position;
  place.life += 1;
  place.site = Site.restored(
    { origin: place.origin, sites: place.sites, life: String(place.life) },
    saved === undefined ? undefined : decodeSaved(saved.bytes),
    log.map(({ bytes, position: captured }) => ({ operation: decodeOperation(bytes), isOwn: captured !== undefined })),
  );
  place.site.confirmed(place.site.seq);
  [place.at, place.work, place.unread] = [position?.at ?? 0, [], []];
  place.catchUp = place.stream.length;
  return position?.unread ?? [];
}

/** The place has got all keys, and begins with them: `kept` is what the site that gave them keeps. */
export function beginTransferred(
  place: Place,
  { begin, origin, keys }: Transfer,
  kept: readonly KeptOperation[],
): void {
  const decoded = keys.map((bytes) => decodeTransferredKey(bytes));
  for (const command of decoded.flatMap(transferWrites)) place.engine.run(command);
  const operations = kept.map(({ bytes }) => decodeOperation(bytes));
  const bytes = encodeSaved(transferredSite(begin, origin, decoded, operations));
  place.stored.saved = { bytes, position: { at: place.stream.length, unread: [] } };
  [place.transfer, place.state, place.origin] = [undefined, "joined", origin];
  restart(place);
}

export function positionOf({ at, unread }: Place): Position {
  return { at, unread: [...unread] };
}

/** A site that is there and has what the others had when it began. */
export function takesPart(place: Place | undefined): place is Place {
  return place?.state === "open" || place?.state === "joined";
}
