import { isPromised, type Voters } from "./voter-sets.ts";

/** A promise as a node has answered it. */
export interface GivenPromise {
  /** As `consentTag` makes it; undefined from nodes of releases before 0.5.0. */
  readonly consentTag: string | undefined;
}

export interface PromisesOptions {
  readonly self: number;
  /** Nodes that have not left the cluster, without this one. */
  readonly others: () => readonly number[];
  readonly voterSets: () => readonly Voters[];
  /** When the newest renewal of the lease was sent that the API server confirmed. */
  readonly renewedAt: () => number;
  /** The tag for this node that another node reported last. */
  readonly tagOf: (node: number) => string | undefined;
  /** Asks a node to take nothing over for the length of a lease; undefined when it does not promise. */
  readonly ask: (node: number) => Promise<GivenPromise | undefined>;
  readonly uptimeMs: () => number;
}

/** The promises of other nodes to this one; a node that does not answer delays no other. */
export class Promises {
  readonly #options: PromisesOptions;
  /** The last promise of each node, and when the request for it was sent, in milliseconds of uptime. */
  readonly #given = new Map<number, GivenPromise & { readonly at: number }>();
  /** The tags of each node that were known while this one held a grant. */
  readonly #tags = new Map<number, readonly (string | undefined)[]>();
  /** The renewal that counted then. */
  #keptRenewal = Number.NEGATIVE_INFINITY;
  readonly #asking = new Set<number>();

  constructor(options: PromisesOptions) {
    this.#options = options;
  }

  /** Asks every node whose answer is not awaited yet. */
  ask(): void {
    for (const node of this.#asked()) if (!this.#asking.has(node)) void this.#askOne(node);
  }

  /** The newest moment since which those that promised are enough; long ago when there is none. */
  heldSince(): number {
    return this.#enoughSince([...this.#given.keys()]);
  }

  /**
   * As `heldSince`, counting only nodes whose consents are those that were known when `keepTags` was called last: none of them has consented to
   * a take-over since. Long ago without known voters, because a leader needs no consent then, and after another renewal, because a leader may
   * have asked the voters of the one before.
   */
  unbrokenSince(): number {
    const { voterSets, renewedAt } = this.#options;
    if (voterSets().includes(undefined) || renewedAt() !== this.#keptRenewal) return Number.NEGATIVE_INFINITY;
    const isSame = ({ consentTag }: GivenPromise, node: number): boolean =>
      consentTag !== undefined && this.#tags.get(node)?.includes(consentTag) === true;
    return this.#enoughSince([...this.#given].filter(([node, given]) => isSame(given, node)).map(([node]) => node));
  }

  /** Call while this node holds a grant: no consent that is known now can serve to take over from it after that. */
  keepTags(): void {
    this.#keptRenewal = this.#options.renewedAt();
    for (const node of this.#asked())
      this.#tags.set(node, [this.#options.tagOf(node), this.#given.get(node)?.consentTag]);
  }

  /** The newest moment since which those of these nodes that promised are enough. */
  #enoughSince(nodes: readonly number[]): number {
    const { self, others, voterSets, uptimeMs } = this.#options;
    const sets = voterSets();
    const left = others();
    const sentAt = (node: number): number => this.#given.get(node)?.at ?? Number.NEGATIVE_INFINITY;
    const isEnough = (moment: number): boolean => {
      const promised = nodes.filter((node) => sentAt(node) >= moment);
      return isPromised(sets, self, left, promised);
    };
    const moments = [uptimeMs(), ...nodes.map(sentAt)].toSorted((a, b) => b - a);
    return moments.find(isEnough) ?? Number.NEGATIVE_INFINITY;
  }

  async #askOne(node: number): Promise<void> {
    const sentAt = this.#options.uptimeMs();
    this.#asking.add(node);
    try {
      const given = await this.#options.ask(node);
      if (given !== undefined) this.#given.set(node, { ...given, at: sentAt });
    } finally {
      this.#asking.delete(node);
    }
  }

  #asked(): readonly number[] {
    const { self, others, voterSets } = this.#options;
    const voters = voterSets().flatMap((set) => set ?? []);
    return [...new Set([...others(), ...voters])].filter((node) => node !== self);
  }
}
