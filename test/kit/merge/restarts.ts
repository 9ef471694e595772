import type { ModelLinks } from "./model-links.ts";
import { readKeys, suspect, takesPart, type Place } from "./place.ts";
import { restart, savedPosition } from "./processes.ts";
import { beginAsked, losePower } from "./power.ts";
import { whole } from "./reads.ts";

/** Processes of sites that end, and others that take their place. */
export class Restarts {
  readonly #links: ModelLinks;
  readonly #places: readonly Place[];
  readonly #break: (place: Place) => void;

  constructor(links: ModelLinks, places: readonly Place[], breakLinks: (place: Place) => void) {
    [this.#links, this.#places, this.#break] = [links, places, breakLinks];
  }

  /** Nothing happens where the new process has to ask the other sites, and does not reach each of them. */
  crash(place: Place): void {
    const position = savedPosition(place);
    const isSame = position?.run === place.run;
    const asks = place.disk !== undefined && (!isSame || position.isUnderWay);
    if (asks && this.#isCut(place)) return;
    // a place in the stream is behind all that the disk has kept
    if (asks) return this.#begin(place, this.#ask(place, !isSame || position.isInFile));
    place.regained = undefined;
    this.#begin(place, restart(place));
  }

  /** The power of sites goes at once. */
  losePower(places: readonly Place[]): void {
    for (const place of places) losePower(place);
    for (const { id } of places) this.#links.stopSending(id);
  }

  /** False while it does not reach each other site. `late`: those that do not answer in time. */
  begin(place: Place, late: readonly Place[]): boolean {
    if (this.#isCut(place)) return false;
    this.#begin(place, this.#ask(place, true, late));
    return true;
  }

  /** No site that it has asked reads anything of before any more, whoever had sent that. */
  #ask(place: Place, regains: boolean, late: readonly Place[] = []): ReturnType<typeof restart> {
    const others = this.#others(place);
    const from = others.filter((other) => !late.includes(other));
    for (const { id } of from) this.#links.break(id);
    return beginAsked(place, { from, areAll: from.length === others.length }, regains);
  }

  #isCut({ id }: Place): boolean {
    return this.#links.names.some((link) => link.split(">").includes(String(id)) && this.#links.isCut(link));
  }

  #others(place: Place): readonly Place[] {
    return this.#places.filter((other) => other !== place && takesPart(other));
  }

  #begin(place: Place, { unread, suspects }: ReturnType<typeof restart>): void {
    readKeys(place, unread.map(whole));
    for (const key of suspects) place.lost.suspect(key);
    suspect(place, suspects);
    this.#break(place);
  }
}
