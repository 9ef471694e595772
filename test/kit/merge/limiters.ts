import type { Place } from "./place.ts";
import type { Sites } from "./sites.ts";

/** Clients that count in keys, and set a time for each that begins with their count. */
export class Limiters {
  readonly #sites: Sites;
  #begun: (() => void)[] = [];

  constructor(sites: Sites) {
    this.#sites = sites;
  }

  count(place: Place | undefined, name: string): void {
    const key = `limit:${name}`;
    if (!this.#sites.write(place, ["INCRBY", key, "1"]) || place?.engine.read(key) !== "1") return;
    this.#begun.push(() => void this.#sites.write(place, ["PEXPIREAT", key, "9000000001"]));
  }

  /** The client that has waited longest sets its time. */
  setTime(): void {
    this.#begun.shift()?.();
  }

  /** All do. */
  end(): void {
    for (const each of this.#begun.splice(0)) each();
  }

  /** The keys that begin to live for ever. */
  get withoutTime(): readonly string[] {
    return this.#sites.places.flatMap(({ engine, state }) =>
      state === "gone" ? [] : engine.keys.filter((key) => key.startsWith("limit:") && engine.look(key).until === -1),
    );
  }
}
