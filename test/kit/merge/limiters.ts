import type { Place } from "./place.ts";
import type { Sites } from "./sites.ts";

/** Clients that count in keys, and set a time for each that begins with their count. */
export class Limiters {
  readonly #sites: Sites;
  readonly #until: string;
  #begun: (() => void)[] = [];

  /** `until`: the time that they set. */
  constructor(sites: Sites, until = 9_000_000_001) {
    this.#sites = sites;
    this.#until = String(until);
  }

  /** True when the site has counted. */
  count(place: Place | undefined, name: string): boolean {
    const key = `limit:${name}`;
    if (!this.#sites.write(place, ["INCRBY", key, "1"])) return false;
    if (place?.engine.read(key) === "1")
      this.#begun.push(() => void this.#sites.write(place, ["PEXPIREAT", key, this.#until]));
    return true;
  }

  /** One of the clients that wait sets its time: the one that has waited longest, or another one. */
  setTime(which = 0): void {
    this.#begun.splice(Math.min(which, this.#begun.length - 1), 1)[0]?.();
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
