import { coversAll, type VersionVector } from "../../../core/merge/operations/version-vector.ts";

/** For how long one end of a link goes without what the other end has, by the clock of one of them. */
export class Delay {
  #sample: { readonly there: VersionVector; readonly at: number } | undefined;
  /** All that there was then has arrived. */
  #arrivedAt: number | undefined;

  /**
   * Looks at what there is and at what of it has arrived; from look to look. Undefined until all that there was at the first look has
   * arrived.
   */
  look(there: VersionVector, arrived: VersionVector, now: number): number | undefined {
    this.#sample ??= { there, at: now };
    if (coversAll(arrived, this.#sample.there)) {
      this.#arrivedAt = this.#sample.at;
      this.#sample = { there, at: now };
    }
    if (this.#arrivedAt === undefined) return undefined;
    return coversAll(arrived, there) ? 0 : now - this.#arrivedAt;
  }
}
