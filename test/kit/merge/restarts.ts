import type { ModelLinks } from "./model-links.ts";
import { readKeys, suspect, takesPart, type Place } from "./place.ts";
import { restart, savedPosition } from "./processes.ts";
import { losePower, regain } from "./power.ts";
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
    const left = restart(place);
    place.regained = undefined;
    // a place in the stream is behind all that the disk has kept
    if (asks && (!isSame || position.isInFile)) regain(place, this.#others(place));
    this.#begin(place, left);
  }

  /** False while it does not reach each other site. */
  losePower(place: Place): boolean {
    if (this.#isCut(place)) return false;
    this.#begin(place, losePower(place, this.#others(place)));
    return true;
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
