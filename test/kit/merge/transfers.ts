import { laterOrigin } from "../../../src/core/merge/operations/origin.ts";
import {
  decodeTransferBegin,
  encodeTransferBegin,
  encodeTransferredKey,
} from "../../../src/core/merge/transfer/transfer.ts";
import { NOTHING } from "../../../src/core/merge/operations/version-vector.ts";
import type { ModelLinks } from "./model-links.ts";
import { takesPart, type Entry, type Place, type Transfer, type Work } from "./place.ts";
import { beginTransferred } from "./processes.ts";

/** How a site that has nothing gets all keys of another one. */
export class Transfers {
  readonly #links: ModelLinks;
  readonly #places: readonly Place[];

  constructor(links: ModelLinks, places: readonly Place[]) {
    this.#links = links;
    this.#places = places;
  }

  /** The site asks another one for all keys, once it has heard of all others what they have of it. */
  begin(place: Place | undefined, from: Place | undefined): void {
    if (place?.state !== "new" || place.transfer !== undefined || from === undefined) return;
    const others = this.#places.filter((other) => other !== place && place.sites.includes(other.id));
    if (!takesPart(from) || !others.includes(from) || !others.every((other) => this.#hears(place, other))) return;
    const received = others.filter(takesPart).map(({ site }) => site.participants.numbered(site.received));
    const origin = laterOrigin(place.id, received);
    from.site.participants.begins(origin);
    const begin = decodeTransferBegin(encodeTransferBegin(from.site.transferBegin()));
    const keys = [...new Set([...begin.keys, ...from.engine.keys])];
    const kept = from.site.kept.keepAll();
    const transfer: Transfer = { kept, from: from.id, to: place.id, origin, begin, missing: keys.length, keys: [] };
    place.transfer = transfer;
    from.work.push(...keys.map((key): Work => ({ kind: "give", key, life: from.life, transfer })));
    if (keys.length === 0) from.work.push({ kind: "given", transfer });
  }

  /** A key was read for it. */
  give(place: Place, { key, effects, transfer }: Extract<Entry, { kind: "give" }>): void {
    const given = place.site.keys.transferred(key, effects);
    if (given === undefined) {
      place.work.push({ kind: "give", key, life: place.life, transfer });
      return;
    }
    transfer.keys.push(encodeTransferredKey(given));
    transfer.missing -= 1;
    if (transfer.missing === 0) place.work.push({ kind: "given", transfer });
  }

  /** The site has got all keys; undefined when the transfer has ended before. */
  given(transfer: Transfer): Place | undefined {
    const place = this.#places[transfer.to - 1];
    if (place?.transfer !== transfer) return undefined;
    transfer.kept[Symbol.dispose]();
    beginTransferred(place, transfer, this.#places[transfer.from - 1]?.site.kept.after(NOTHING, Infinity) ?? []);
    return place;
  }

  /** What the site gives ends. */
  end(from: Place): void {
    for (const place of this.#places) {
      if (place.transfer?.from !== from.id) continue;
      place.transfer.kept[Symbol.dispose]();
      place.transfer = undefined;
    }
  }

  #hears(place: Place, other: Place): boolean {
    return other.state !== "gone" && other.sites.includes(place.id) && !this.#links.isCut(`${other.id}>${place.id}`);
  }
}
