import type { Operation } from "./operation.ts";
import { siteOf } from "./origin.ts";
import type { SeenBy } from "./saved-site.ts";
import { coversAll, including, lowest, union, type VersionVector } from "./version-vector.ts";

/** What a site tells the others beside its operations. */
export interface Statement {
  /** The sites whose operations it takes from themselves. */
  readonly sites: readonly number[];
  /** What it has received, whether or not that would outlast its process. */
  readonly received: VersionVector;
  /** What it has forgotten since every site that it knew of had applied it. */
  readonly forgotten: VersionVector;
}

/** The sites of a database as one of them knows them, with what each has said. */
export class Participants {
  readonly #own: number;
  #sites: readonly number[];
  readonly #seenBy: Map<number, VersionVector>;
  /** Sites that have left while an operation of theirs may still be on its way. */
  readonly #leaving = new Set<number>();
  readonly #keptBy = new Map<number, VersionVector>();
  readonly #statements = new Map<number, Statement>();

  constructor(own: number, sites: readonly number[], seenBy: readonly SeenBy[]) {
    this.#own = own;
    this.#sites = seenBy.map(({ site }) => site);
    this.#seenBy = new Map(seenBy.map(({ site, seen }) => [site, seen]));
    this.change(sites);
  }

  get sites(): readonly number[] {
    return this.#sites;
  }

  get seenBy(): readonly SeenBy[] {
    return [...this.#seenBy].map(([site, seen]) => ({ site, seen }));
  }

  /** Sites come and go; what is forgotten waits for those that come from now on. */
  change(sites: readonly number[]): void {
    for (const site of this.#sites) if (!sites.includes(site)) this.#leaving.add(site);
    for (const site of sites) this.#leaving.delete(site);
    this.#sites = sites;
  }

  /** That site has applied this. */
  hasSeen(site: number, seen: VersionVector): void {
    this.#seenBy.set(site, union(this.#seenBy.get(site) ?? {}, seen));
  }

  /** The site of an operation has applied what the operation has seen. */
  learn({ dot, seen }: Operation): void {
    this.hasSeen(siteOf(dot.origin), including(seen, dot));
  }

  /** That site keeps this as surely as its data; the answer is what all others do. */
  keeps(site: number, received: VersionVector): VersionVector {
    this.#keptBy.set(site, union(this.#keptBy.get(site) ?? {}, received));
    return lowest(this.#others().map((each) => this.#keptBy.get(each) ?? {}));
  }

  states(site: number, statement: Statement): void {
    this.#statements.set(site, statement);
  }

  /** What every site is known to have applied, the ones included that have left and may have written without knowing of it. */
  agreed(received: VersionVector): VersionVector {
    for (const site of this.#leaving)
      if (this.#hasLeft(site, received)) {
        this.#leaving.delete(site);
        this.#seenBy.delete(site);
      }
    return lowest([...this.#sites, ...this.#leaving].map((site) => this.#seenBy.get(site) ?? {}));
  }

  /** Every other site waits for this one, and what they had forgotten before they did is here. */
  isAwaited(seen: VersionVector): boolean {
    return this.#others().every((site) => {
      const statement = this.#statements.get(site);
      return statement?.sites.includes(this.#own) === true && coversAll(seen, statement.forgotten);
    });
  }

  /** No site takes operations from it any longer, and what one has of it is here. */
  #hasLeft(site: number, received: VersionVector): boolean {
    return this.#others().every((other) => {
      const statement = this.#statements.get(other);
      if (statement === undefined || statement.sites.includes(site)) return false;
      return coversAll(received, ofSite(site, statement.received));
    });
  }

  #others(): readonly number[] {
    return this.#sites.filter((site) => site !== this.#own);
  }
}

function ofSite(site: number, vector: VersionVector): VersionVector {
  return Object.fromEntries(Object.entries(vector).filter(([origin]) => siteOf(Number(origin)) === site));
}
