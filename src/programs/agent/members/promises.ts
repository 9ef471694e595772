import { isPromised, type Voters } from "./voter-sets.ts";

export interface PromisesOptions {
  readonly self: number;
  /** Nodes that have not left the cluster, without this one. */
  readonly others: () => readonly number[];
  readonly voterSets: () => readonly Voters[];
  /** Asks a node; true when it promises to take nothing over for the length of a lease. */
  readonly ask: (node: number) => Promise<boolean>;
  readonly uptimeMs: () => number;
}

/** The promises of other nodes to this one; a node that does not answer delays no other. */
export class Promises {
  readonly #options: PromisesOptions;
  /** When the request was sent that a node answered last with its promise, in milliseconds of uptime. */
  readonly #promisedAt = new Map<number, number>();
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
    const { self, others, voterSets } = this.#options;
    const sets = voterSets();
    const left = others();
    const isEnough = (moment: number): boolean => {
      const promised = [...this.#promisedAt].filter(([, at]) => at >= moment).map(([node]) => node);
      return isPromised(sets, self, left, promised);
    };
    const now = this.#options.uptimeMs();
    const moments = [now, ...this.#promisedAt.values()].toSorted((a, b) => b - a);
    return moments.find(isEnough) ?? Number.NEGATIVE_INFINITY;
  }

  async #askOne(node: number): Promise<void> {
    const sentAt = this.#options.uptimeMs();
    this.#asking.add(node);
    try {
      if (await this.#options.ask(node)) this.#promisedAt.set(node, sentAt);
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
