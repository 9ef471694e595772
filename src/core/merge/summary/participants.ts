import { isBelieved, isOrigin, ofSite, siteOf } from "../operations/origin.ts";
import type { SeenBy } from "./seen-by.ts";
import type { SiteStatement } from "./statement.ts";
import {
  NOTHING,
  coversAll,
  lowest,
  pairsOf,
  seqOf,
  union,
  vectorOf,
  type VersionVector,
} from "../operations/version-vector.ts";

/** The sites of a database as one of them knows them, with what each has said. */
export class Participants {
  readonly #own: number;
  #sites: readonly number[];
  readonly #known: Map<number, Known>;
  /** Sites that have left while an operation of theirs may still be on its way. */
  readonly #leaving = new Set<number>();

  constructor(own: number, sites: readonly number[], seenBy: readonly SeenBy[]) {
    this.#own = own;
    // what an earlier release has saved may have come from another site as it was
    const saved = seenBy.filter(({ origin }) => isOrigin(origin));
    this.#sites = saved.map(({ origin }) => siteOf(origin));
    this.#known = new Map(saved.map(({ origin, seen }) => [siteOf(origin), { origin, seen, keeps: NOTHING }]));
    this.change(sites);
  }

  get sites(): readonly number[] {
    return this.#sites;
  }

  /** What was received, with every site that has begun to number its operations, and has made none. */
  numbered(received: VersionVector): VersionVector {
    const begun = [...this.#known.values()].map(({ origin }) => [origin, 0] as const);
    return vectorOf(new Map([...begun, ...pairsOf(received)]));
  }

  get seenBy(): readonly SeenBy[] {
    return [...this.#known.values()].map(({ origin, seen }) => ({ origin, seen }));
  }

  /** Sites come and go; what is forgotten waits for those that come from now on. */
  change(sites: readonly number[]): void {
    for (const site of this.#sites) if (!sites.includes(site)) this.#leaving.add(site);
    for (const site of sites) this.#leaving.delete(site);
    this.#sites = sites;
  }

  /** The site of `origin` has this incarnation from now on. Its earlier statements count no more: it may have lost its data since. */
  begins(origin: number): void {
    this.#latest(origin);
  }

  /** The site of `origin` has applied `seen`. */
  hasSeen(origin: number, seen: VersionVector): void {
    const known = this.#latest(origin);
    if (known !== undefined) known.seen = union(known.seen, seen);
  }

  /** Another site says that the site of `origin` has applied `seen`: that is not believed of this one, nor of an incarnation that no site can have had. */
  learn(origin: number, seen: VersionVector): void {
    if (siteOf(origin) === this.#own) return;
    if (isBelieved(origin) || this.#known.get(siteOf(origin))?.origin === origin) this.hasSeen(origin, seen);
  }

  /** The site of `origin` keeps `received` as surely as its data; the answer is what all others keep so, also when they lose the end of their disk. */
  keeps(origin: number, received: VersionVector): VersionVector {
    const known = this.#latest(origin);
    if (known !== undefined) known.keeps = union(known.keeps, received);
    const others = this.#others();
    return lowest([...others.map((each) => this.#known.get(each)?.keeps ?? NOTHING), ...this.#durable(others)]);
  }

  /** The other sites that keep all of this, as surely as their data. */
  keptBy(operations: VersionVector): readonly number[] {
    return this.#others().filter((site) => coversAll(this.#known.get(site)?.keeps ?? NOTHING, operations));
  }

  states(origin: number, statement: SiteStatement): void {
    const known = this.#latest(origin);
    if (known !== undefined) known.statement = statement;
  }

  /** What every site is known to have applied, the ones included that have left and may have written without knowing of it. */
  agreed(received: VersionVector): VersionVector {
    for (const site of this.#leaving)
      if (this.#hasLeft(site, received)) {
        this.#leaving.delete(site);
        this.#known.delete(site);
      }
    const sites = [...this.#sites, ...this.#leaving];
    return lowest([...sites.map((site) => this.#known.get(site)?.seen ?? NOTHING), ...this.#durable(sites)]);
  }

  /** What is on the disks of other sites: what one loses with the end of its file has to come back from those that have it. */
  #durable(sites: readonly number[]): readonly VersionVector[] {
    const others = sites.filter((site) => site !== this.#own);
    return others.map((site) => {
      const { statement, seen = NOTHING } = this.#known.get(site) ?? {};
      // a link of an older release does not say it
      return statement === undefined ? NOTHING : (statement.durable ?? seen);
    });
  }

  /**
   * Every other site waits for what this one writes under `origin`: it keeps something of it, and what it had forgotten before is
   * here.
   */
  isAwaited(origin: number, seen: VersionVector): boolean {
    return this.#others().every((site) => {
      const { statement, keeps = NOTHING } = this.#known.get(site) ?? {};
      if (statement?.sites.includes(this.#own) !== true || !coversAll(seen, statement.forgotten)) return false;
      return seqOf(keeps, origin) > 0;
    });
  }

  /** Undefined of an incarnation that is not the latest. */
  #latest(origin: number): Known | undefined {
    const site = siteOf(origin);
    const known = this.#known.get(site);
    if (known !== undefined && known.origin >= origin) return known.origin === origin ? known : undefined;
    const begun: Known = { origin, seen: NOTHING, keeps: NOTHING };
    this.#known.set(site, begun);
    return begun;
  }

  /** No site takes operations from the site any longer, and those of them that another site has are here. */
  #hasLeft(site: number, received: VersionVector): boolean {
    return this.#others().every((other) => {
      const statement = this.#known.get(other)?.statement;
      if (statement === undefined || statement.sites.includes(site)) return false;
      return coversAll(received, ofSite(site, statement.received));
    });
  }

  #others(): readonly number[] {
    return this.#sites.filter((site) => site !== this.#own);
  }
}

/** What a site has said in its latest incarnation. */
interface Known {
  readonly origin: number;
  seen: VersionVector;
  /** As surely as its data. */
  keeps: VersionVector;
  statement?: SiteStatement;
}
