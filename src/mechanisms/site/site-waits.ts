import { ofSite } from "../../core/merge/operations/origin.ts";
import type { Site } from "../../core/merge/site.ts";
import type { VersionVector } from "../../core/merge/operations/version-vector.ts";
import type { Capture } from "./operations/capture.ts";
import { linkTransaction } from "./saved/marks.ts";
import { ALL_KEYS, type SiteSlice } from "./saved/slice.ts";
import { answerWait, SITE_WAIT_MS, siteWaitIn, type SiteWait } from "./site-wait.ts";
import { execute, type TransactionContext } from "./saved/transaction.ts";

export interface SiteWaitsOptions extends TransactionContext {
  readonly site: Pick<Site, "received" | "participants">;
  /** Number of the site. */
  readonly id: number;
  /** All that clients did before the stream began is among the operations. */
  readonly isComplete: () => boolean;
  /** Keys of the site are known to differ from what is here: it does not hold all that was written. */
  readonly differs: (site: number) => boolean;
  readonly capture: Pick<Capture, "passed" | "reached">;
  readonly slice: SiteSlice;
}

/** Clients that wait until other sites have what was written before. */
export class SiteWaits {
  readonly #options: SiteWaitsOptions;
  readonly #waits = new Map<string, Waiting>();

  constructor(options: SiteWaitsOptions) {
    this.#options = options;
  }

  /** A mark came by; false when it asks for something else. */
  take(mark: string): boolean {
    const wait = siteWaitIn(mark);
    if (wait === undefined) return false;
    const known = this.#waits.get(wait.id) ?? { wait, after: this.#options.capture.passed };
    this.#waits.set(wait.id, { ...known, until: this.#options.clock.uptimeMs() + SITE_WAIT_MS });
    // the stream is captured up to the mark when this turn is over
    setImmediate(() => this.look());
    return true;
  }

  /** More may be captured, or at other sites. */
  look(): void {
    if (this.#waits.size === 0) return;
    const { site, id, isComplete, differs, capture, clock } = this.#options;
    const now = clock.uptimeMs();
    const { written } = capture.reached;
    for (const waiting of this.#waits.values()) {
      const { wait, after, until, said } = waiting;
      // what was written before is among the operations that there are by now
      if (written >= after && isComplete()) waiting.operations ??= ofSite(id, site.received);
      const have = waiting.operations && site.participants.keptBy(waiting.operations).filter((each) => !differs(each));
      if (have !== undefined && have.join(" ") !== said) {
        waiting.said = have.join(" ");
        this.#answer(wait, have);
      }
      if (now >= until || (have?.length ?? -1) >= this.#enoughFor(wait)) this.#waits.delete(wait.id);
    }
  }

  /** Those that have this slice may be others than those that have the next one. */
  #enoughFor({ sites }: SiteWait): number {
    const { site, slice } = this.#options;
    return slice === ALL_KEYS ? sites : site.participants.sites.length - 1;
  }

  #answer(wait: SiteWait, sites: readonly number[]): void {
    const answer = execute(
      this.#options,
      linkTransaction([answerWait(wait, sites, this.#options.slice.suffix)], []),
      () => undefined,
    );
    answer.catch(() => undefined); // who waits for the connection, or for the signal, has the failure
  }
}

interface Waiting {
  readonly wait: SiteWait;
  /** The place of the mark, in bytes as `Place.written` counts them. */
  readonly after: number;
  /** When it is forgotten, by the uptime in milliseconds. */
  readonly until: number;
  /** What other sites must have; absent while not all that was written before is captured. */
  operations?: VersionVector;
  said?: string;
}
