import type { Effect } from "../../core/merge/operations/operation.ts";
import { announceKeys } from "./state/announce.ts";
import type { BegunSite, EngineSiteOptions } from "./begin-site.ts";
import type { Capture } from "./operations/capture.ts";
import type { EngineWriter } from "./operations/engine-writer.ts";
import { findInAll, findInKnown, type Finder } from "./state/find-uncaptured.ts";
import { Locks } from "./operations/locks.ts";
import { isFirstAt, type Place } from "./saved/place.ts";

export interface CompletionOptions extends EngineSiteOptions {
  readonly begin: BegunSite;
  readonly capture: Capture;
  readonly writer: EngineWriter;
  /** While one is held, no operations of other sites are taken. */
  readonly holds: Locks;
  /** Called with what clients did. */
  readonly onEffects: (effects: readonly Effect[]) => void;
}

/** The share of what is kept for other sites above which announcing what the engine held before has to wait. */
const ANNOUNCED_PART = 1 / 2;

/** Makes operations of what a site's engine holds and no stream has shown: all of it at the first time, later what clients did meanwhile. */
export class Completion {
  readonly #options: CompletionOptions;
  readonly #comparing = new Locks();
  #announced: Pick<Place, "announced" | "announcedKnown">;
  readonly #isFirst: boolean;

  constructor(options: CompletionOptions) {
    const { announced, announcedKnown } = options.begin.from;
    this.#options = options;
    this.#announced = { announced, announcedKnown };
    this.#isFirst = isFirstAt(options.begin.from);
  }

  /** How far it is, as it is saved. */
  get announced(): Pick<Place, "announced" | "announcedKnown"> {
    return this.#announced;
  }

  /** Another site can be compared with this one: all that clients did is captured, but for what they are doing. */
  get isWhole(): boolean {
    return this.#announced.announced || this.#isFirst;
  }

  /** True while nothing may be forgotten. */
  get isComparing(): boolean {
    return this.#comparing.isHeld;
  }

  /** Does what must come before operations of other sites, which may change what is known. The answer does the rest, beside them. */
  async begin(): Promise<() => Promise<void>> {
    const { begin, writer } = this.#options;
    if (this.#announced.announcedKnown) return () => this.#complete(true);
    await findInKnown(this.finder);
    this.#now({ announced: false, announcedKnown: true });
    await writer.apply(begin.site.repaired());
    return () => this.#complete(false);
  }

  /** Writes again what was decided and perhaps not written, where that can be told from what clients did. */
  async #complete(isRepaired: boolean): Promise<void> {
    const { begin, capture, writer } = this.#options;
    if (this.#isFirst && !this.#announced.announced) await this.#announce();
    if (isRepaired) {
      const repairs = begin.site.repairAll();
      capture.askBeforeRepairs();
      await writer.apply(repairs);
    }
    if (!this.#isFirst && !this.#announced.announced) await this.#findInAll();
  }

  async #announce(): Promise<void> {
    const { begin, capture, clock, signal, keptBytes, slice } = this.#options;
    const { client, site } = begin;
    const hasRoom = (): boolean => site.kept.bytes < ANNOUNCED_PART * keptBytes;
    const read = (key: string): Promise<void> => capture.read(key);
    await announceKeys({ client, slice, clock, read, hasRoom, signal }, site.keys.known);
    if (!signal.aborted) this.#now({ announced: true, announcedKnown: true });
  }

  async #findInAll(): Promise<void> {
    const { connectWhole: connect, clock, log, signal } = this.#options;
    await findInAll(this.finder, { connect, clock, log });
    if (!signal.aborted) this.#now({ announced: true, announcedKnown: true });
  }

  /** What compares keys of this site with those of another one. */
  get finder(): Finder {
    const { begin, capture, holds, onEffects, signal, slice } = this.#options;
    const { client, site } = begin;
    return { client, slice, site, capture, holds, onEffects, signal, comparing: this.#comparing };
  }

  #now(announced: Pick<Place, "announced" | "announcedKnown">): void {
    this.#announced = announced;
    this.#options.writer.logPlace();
  }
}
