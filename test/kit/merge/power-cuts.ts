import { isDeepStrictEqual } from "node:util";
import { covers, type Dot } from "../../../src/core/merge/operations/version-vector.ts";
import { seededDice } from "../world/chaos.ts";
import type { Place } from "./place.ts";
import { syncDisk } from "./power.ts";
import type { Sites } from "./sites.ts";

/** An increment of a site whose power may go. */
interface Increment {
  /** Where it is in the stream. */
  readonly at: number;
  readonly by: number;
}

/** An increment that the disk of its site has lost. */
interface Lost {
  readonly place: Place;
  /** The operation that had said it; undefined of one that no site has. */
  dot: Dot | undefined;
  readonly by: number;
  /** Its site has asked the others since. */
  isAsked: boolean;
}

/** Cuts the power of sites of a schedule, and knows which increments are lost with it. */
export class PowerCuts {
  readonly #sites: Sites;
  readonly #chance: () => number;
  readonly #together: () => number;
  readonly #late: () => number;
  /** Sites whose power goes: one, or two, or all. */
  readonly #weak: readonly Place[];
  /** The power of several goes at once, and each begins at its own time. */
  readonly #areTogether: boolean;
  readonly #increments = new Map<Place, Increment[]>();
  /** Some begin so late that others do not wait for them. */
  readonly #areLate: boolean;
  /** What the disks have lost. */
  readonly #lost: Lost[] = [];
  #twice = 0;

  /** `chance`: between 0 and 1; what it does not decide has dice of its own, so that seeds keep the rest. */
  constructor(sites: Sites, chance: () => number, seed: number) {
    const [together, late] = [seededDice(seed + 2_000_000_011), seededDice(seed + 3_000_000_019)];
    [this.#sites, this.#chance, this.#together, this.#late] = [sites, chance, together, late];
    const alone = sites.places.slice(0, chance() < 0.7 ? 1 : 2);
    this.#areTogether = together() < 0.5;
    this.#weak = this.#areTogether ? sites.places.slice(0, together() < 0.5 ? 2 : Infinity) : alone;
    this.#areLate = this.#areTogether && late() < 0.3;
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
  step(count: ((at?: Place) => void) | undefined): void {
    for (const place of this.#weak) {
      if (place.isBeginning && this.#together() < 0.2) this.#begin(place);
      if (this.#chance() < 0.05) syncDisk(place);
      if (this.#chance() < 0.02) this.#cut(this.#with(place));
      if (this.#chance() < 0.04) this.#cutAfterWrites(place, count);
    }
    if (this.#areTogether && this.#together() < 0.01) this.#cutWhilePassingOn(count);
  }

  /** The amount of the increments that may count twice: a site had kept them on its disk, and another one that may have had them as well has not answered in time. */
  get twice(): number {
    return this.#twice;
  }

  /** The amount of all increments that no site has any more, when everything has arrived. */
  end(): number {
    for (const place of this.#weak) if (place.isBeginning) this.#begin(place);
    this.#sites.settle();
    for (const place of this.#weak) syncDisk(place);
    const received = this.#sites.places[0]?.site.received;
    const isThere = (dot: Dot | undefined): boolean =>
      dot !== undefined && received !== undefined && covers(received, dot);
    return this.#lost.reduce((sum, { dot, by }) => (isThere(dot) ? sum : sum + by), 0);
  }

  /** All of which the power goes with that of the place. */
  #with(place: Place): readonly Place[] {
    return this.#areTogether && this.#together() < 0.8 ? this.#weak : [place];
  }

  #cutAfterWrites(place: Place, count: (() => void) | undefined): void {
    const places = this.#with(place);
    for (let more = 1 + Math.floor(this.#chance() * 3); more > 0; more -= 1) count?.();
    for (const each of places) syncDisk(each);
    // others get some of it
    for (let more = Math.floor(this.#chance() * (places.length === 1 ? 30 : 80)); more > 0; more -= 1) {
      const link = this.#sites.links[Math.floor(this.#chance() * this.#sites.links.length)] ?? "";
      const one = places.length === 1 ? place : (places[Math.floor(this.#together() * places.length)] ?? place);
      if (this.#chance() < 0.3) this.#sites.capture(one);
      else if (this.#chance() < 0.5) this.#sites.work(one);
      else this.#sites.deliver(link);
      // of one disk it is lost, and another one has it
      if (places.length > 1 && this.#together() < 0.06)
        syncDisk(places[Math.floor(this.#together() * places.length)] ?? place);
    }
    this.#cut(places);
  }

  /** The disk of the first site has a write, and that of the second one loses it; a third one has still to read it from the second one when the first one begins. */
  #cutWhilePassingOn(count: ((at?: Place) => void) | undefined): void {
    const [first, second] = this.#weak;
    const third = this.#sites.places.find((place) => !this.#weak.includes(place));
    if (first === undefined || second === undefined || third === undefined) return;
    for (const place of this.#weak) if (place.isBeginning) this.#begin(place);
    this.#uncut(first);
    this.#uncut(second);
    count?.(first);
    this.#flow([first], `${first.id}>${second.id}`);
    if (this.#together() < 0.7) count?.(first);
    for (const place of this.#weak) syncDisk(place);
    count?.(first);
    this.#flow([first, second], `${first.id}>${second.id}`);
    this.#sites.exchange.resend(`${second.id}>${third.id}`);
    this.#cut(this.#weak);
    this.#begin(first);
    for (let more = Math.floor(this.#together() * 4); more > 0; more -= 1)
      this.#sites.deliver(`${second.id}>${third.id}`);
  }

  /** What the places have written is read, and comes over the link. */
  #flow(places: readonly Place[], link: string): void {
    for (const place of places)
      for (let more = 10; more > 0; more -= 1) {
        this.#sites.capture(place);
        this.#sites.work(place);
        this.#sites.deliver(link);
      }
  }

  #cut(places: readonly Place[]): void {
    const numbered = new Map(places.map((place) => [place, new Map(place.numbered)]));
    this.#sites.losePower(places);
    for (const place of places) this.#note(place, numbered.get(place) ?? new Map<number, Dot>());
    if (!this.#areTogether) for (const place of places) this.#begin(place);
  }

  /** The others answer it. */
  #begin(place: Place): void {
    this.#uncut(place);
    const isLate = this.#areLate && this.#late() < 0.7;
    const late = isLate ? this.#weak.filter((other) => other !== place && other.isBeginning) : [];
    this.#sites.begin(place, late);
    this.#hasBegun(place);
    if (late.length === 0) return;
    for (const { at, by } of this.#increments.get(place) ?? [])
      if (at >= place.at && at < place.begun) this.#twice += by;
  }

  #uncut({ id }: Place): void {
    for (const link of this.#sites.links) if (link.split(">").includes(String(id))) this.#sites.cut(link, false);
  }

  /** Notes what the disk of the place has lost; `numbered`: what the site had captured. */
  #note(place: Place, numbered: ReadonlyMap<number, Dot>): void {
    const length = place.begun;
    const increments = this.#increments.get(place) ?? [];
    this.#increments.set(
      place,
      increments.filter(({ at }) => at < length),
    );
    for (const { at, by } of increments)
      if (at >= length) this.#lost.push({ place, dot: numbered.get(at), by, isAsked: false });
    for (const at of numbered.keys()) if (at >= length) place.numbered.delete(at);
  }

  /** The site has asked the others: what none of them has is lost, and its number may be given again. */
  #hasBegun(place: Place): void {
    for (const lost of this.#lost) {
      if (lost.place !== place || lost.isAsked) continue;
      lost.isAsked = true;
      lost.dot = this.#known(lost.dot);
    }
  }

  /** Undefined where no site has it. */
  #known(dot: Dot | undefined): Dot | undefined {
    if (dot === undefined) return undefined;
    const isHere = ({ site }: Place): boolean =>
      covers(site.received, dot) || site.save().early.some((each) => isDeepStrictEqual(each.dot, dot));
    return this.#sites.places.some(isHere) ? dot : undefined;
  }
}
