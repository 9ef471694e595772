import { siteOf } from "../../../core/merge/operations/origin.ts";
import type { LoggedEntry } from "../../../core/merge/saved/saved-site.ts";
import { NOTHING, withDot, union, type VersionVector } from "../../../core/merge/operations/version-vector.ts";

/** How far a site is: what its engine and log have, and what of it the replicas have too. */
export class SiteProgress {
  readonly #lags = new Map<number, number>();
  #latest: VersionVector;
  #stated = NOTHING;
  /** The part of `latest` that is on the disk of the engine. */
  durable = NOTHING;
  #time = 0;

  constructor(received: VersionVector) {
    this.#latest = received;
  }

  /** What the engine and its log have. */
  get latest(): VersionVector {
    return this.#latest;
  }

  /** The part of `latest` that lasts as long as the data does. */
  get stated(): VersionVector {
    return this.#stated;
  }

  /** The latest time of an operation or a summary that was written, in milliseconds since 1970; 0 before one. No own operation is earlier from now on. */
  get time(): number {
    return this.#time;
  }

  /** Age of the newest operation of that site when it was applied here, in milliseconds, by the clocks of both; 0 before one. */
  lagMs(site: number): number {
    return this.#lags.get(site) ?? 0;
  }

  /** Notes entries that are in the engine and its log. */
  written(entries: readonly LoggedEntry[], now: number): void {
    for (const entry of entries) {
      const { wall } = entry.kind === "summary" ? entry.summary.clock : entry.operation.at;
      this.#time = Math.max(this.#time, wall);
      if (entry.kind === "summary") {
        if (entry.isLast) this.#latest = union(this.#latest, entry.summary.received);
        continue;
      }
      const { dot, at } = entry.operation;
      this.#latest = withDot(this.#latest, dot);
      if (entry.kind === "applied") this.#lags.set(siteOf(dot.origin), Math.max(0, now - at.wall));
    }
  }

  /** Notes that the replicas in sync have `reached`. */
  confirmed(reached: VersionVector): void {
    this.#stated = reached;
  }
}
