import { covers, type Dot } from "../../../src/core/merge/operations/version-vector.ts";
import type { Place } from "./place.ts";
import { syncDisk } from "./power.ts";
import type { Sites } from "./sites.ts";

/** An increment of a site whose power may go. */
interface Increment {
  /** Where it is in the stream. */
  readonly at: number;
  readonly by: number;
}

/** Cuts the power of sites of a schedule, and knows which increments are lost with it. */
export class PowerCuts {
  readonly #sites: Sites;
  readonly #chance: () => number;
  /** Sites whose power goes: one, or two. */
  readonly #weak: readonly Place[];
  readonly #increments = new Map<Place, Increment[]>();
  /** What the disk of their site has lost, by the operation that had said it. */
  readonly #lost: { readonly dot: Dot | undefined; readonly by: number }[] = [];

  /** `chance`: between 0 and 1. */
  constructor(sites: Sites, chance: () => number) {
    [this.#sites, this.#chance] = [sites, chance];
    this.#weak = sites.places.slice(0, chance() < 0.7 ? 1 : 2);
    for (const place of this.#weak) {
      this.#increments.set(place, []);
      syncDisk(place);
    }
  }

  /** Notes the last write of the place, which has counted so much. */
  counted(place: Place | undefined, by: number): void {
    if (place === undefined) return;
    this.#increments.get(place)?.push({ at: place.stream.length - 1, by });
  }

  /** To be called before each step: disks get what engines hold, and the power goes; at times when the disk has an increment and not that it was sent. */
  step(count: (() => void) | undefined): void {
    for (const place of this.#weak) {
      if (this.#chance() < 0.05) syncDisk(place);
      if (this.#chance() < 0.02) this.#cut(place);
      if (this.#chance() < 0.04) this.#cutAfterWrites(place, count);
    }
  }

  /** The amount of all increments that no site has any more, when everything has arrived. */
  end(): number {
    this.#sites.settle();
    for (const place of this.#weak) syncDisk(place);
    const received = this.#sites.places[0]?.site.received;
    const isThere = (dot: Dot | undefined): boolean =>
      dot !== undefined && received !== undefined && covers(received, dot);
    return this.#lost.reduce((sum, { dot, by }) => (isThere(dot) ? sum : sum + by), 0);
  }

  #cutAfterWrites(place: Place, count: (() => void) | undefined): void {
    for (let more = 1 + Math.floor(this.#chance() * 3); more > 0; more -= 1) count?.();
    syncDisk(place);
    // others get some of it
    for (let more = Math.floor(this.#chance() * 30); more > 0; more -= 1) {
      const link = this.#sites.links[Math.floor(this.#chance() * this.#sites.links.length)] ?? "";
      if (this.#chance() < 0.3) this.#sites.capture(place);
      else if (this.#chance() < 0.5) this.#sites.work(place);
      else this.#sites.deliver(link);
    }
    this.#cut(place);
  }

  #cut(place: Place): void {
    const { disk, id } = place;
    const increments = this.#increments.get(place);
    if (disk === undefined || increments === undefined) return;
    const numbered = new Map(place.numbered);
    // the others answer it
    for (const link of this.#sites.links) if (link.split(">").includes(String(id))) this.#sites.cut(link, false);
    if (!this.#sites.losePower(place)) return;
    this.#increments.set(
      place,
      increments.filter(({ at }) => at < disk.length),
    );
    for (const { at, by } of increments) if (at >= disk.length) this.#lost.push({ dot: numbered.get(at), by });
    for (const at of numbered.keys()) if (at >= disk.length) place.numbered.delete(at);
  }
}
