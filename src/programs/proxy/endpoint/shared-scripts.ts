import type { Clock } from "#kit/base/clock";
import {
  SHARED_AT_ONCE,
  type OtherScripts,
  type ScriptsOutcome,
  type ScriptsRequest,
} from "../../../ports/management/scripts-question.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import type { Routes } from "../upstream/only-route.ts";
import { ScriptCache } from "../upstream/script-cache.ts";

/** What sharing the scripts of one database takes. */
export interface SharedScriptsContext {
  readonly clock: Clock;
  readonly scriptMemory: MemoryBudget;
  /** Lets the agent send the request to all other proxies; undefined when it has no answer in time. It does not reject. */
  readonly askScripts: (request: ScriptsRequest) => Promise<readonly OtherScripts[] | undefined>;
}

/** The scripts that the primary has. */
export interface ScriptsAtPrimary {
  /** Forgets what the primary has not any more; `isCertain`: a client of this proxy has flushed all there. */
  forgetFlushed(isCertain: boolean): Promise<void>;
  /** The wait until NOSCRIPT of this digest is the truth; undefined when no wait is needed. */
  awaits(sha: string): Promise<void> | undefined;
}

/** The scripts at the primary of one of several shards. */
interface ScriptsAtShard extends ScriptsAtPrimary {
  /** Those of the known scripts that the primary lacks, by their digests; rejects when it cannot be asked. */
  lacking(): Promise<readonly string[]>;
}

/** The scripts at the primaries of a database. Of several, a flush has gone to all: what each of them lacks was flushed. */
export function scriptsOfShards(
  routes: Routes<{ readonly scripts: ScriptsAtShard }>,
  cache: ScriptCache,
): ScriptsAtPrimary {
  const [{ scripts: only }, ...others] = routes;
  if (others.length === 0) return only;
  const all = routes.map(({ scripts }) => scripts);
  return {
    forgetFlushed: async () => {
      const { uses } = cache;
      const [lacking, ...elsewhere] = await Promise.all(all.map((scripts) => scripts.lacking()));
      for (const sha of lacking ?? []) if (elsewhere.every((digests) => digests.includes(sha))) cache.forget(sha, uses);
    },
    awaits: (sha) => all.map((scripts) => scripts.awaits(sha)).find((wait) => wait !== undefined),
  };
}

/** The cache has half as many: while the others do not answer, clients may load more and more. */
const MOST_UNSENT = 2_000;

/**
 * The scripts of one database, known to all its proxies: any of them may leave, and each loads them into a new primary. What an engine
 * has taken goes to the others at once, and again until each has answered; a proxy that begins, and one before a move, asks the others.
 */
export class SharedScripts {
  /** What this proxy knows. */
  readonly cache: ScriptCache;
  readonly #bdb: number;
  readonly #context: SharedScriptsContext;
  readonly #primary: () => ScriptsAtPrimary;
  readonly #closed = new AbortController();
  /** Digests of scripts that the others may not have yet. */
  readonly #unsent = new Set<string>();
  #isFlushed = false;
  #isSending = false;
  #gathering: Promise<boolean> | undefined;

  constructor(bdb: number, context: SharedScriptsContext, primary: () => ScriptsAtPrimary) {
    this.#bdb = bdb;
    this.#context = context;
    this.#primary = primary;
    this.cache = new ScriptCache(context.scriptMemory);
    void this.#retried(() => this.gather());
  }

  /** An engine has taken it for a client of this proxy. */
  add(body: Buffer): void {
    const sha = this.cache.add(body);
    if (sha === undefined) return;
    this.#unsent.add(sha);
    if (this.#unsent.size > MOST_UNSENT) this.#forgetUnknown();
    this.#send();
  }

  /** Drops the digests of scripts that the cache has forgotten: these are not sent. */
  #forgetUnknown(): void {
    const known = new Set(this.cache.entries().map(([sha]) => sha));
    for (const sha of this.#unsent) if (!known.has(sha)) this.#unsent.delete(sha);
  }

  /** An engine has run it. */
  touch(sha: string): void {
    this.cache.touch(sha);
  }

  /**
   * An engine has flushed all scripts for a client of this proxy. Scripts that another client has loaded behind that stay, in whichever order
   * the replies of their connections come: the engine says what it has.
   */
  clear(): void {
    this.#forgetFlushed(true);
    this.#isFlushed = true;
    this.#send();
  }

  beginFlush(): () => void {
    const { uses } = this.cache;
    return () => {
      this.cache.forgetUntil(uses);
      this.clear();
    };
  }

  knows(sha: string): boolean {
    return this.cache.bodyOf(sha) !== undefined;
  }

  awaits(sha: string): Promise<void> | undefined {
    return this.#primary().awaits(sha);
  }

  /** Asks the other proxies for what they know; false when one of them did not answer. */
  gather(): Promise<boolean> {
    this.#gathering ??= this.#gather().finally(() => {
      this.#gathering = undefined;
    });
    return this.#gathering;
  }

  /** Takes the scripts that another proxy knows, and gives those that it lacks. */
  take({ bodies = [], flushed, known }: ScriptsRequest): ScriptsOutcome {
    for (const body of bodies) this.cache.add(Buffer.from(body, "base64"));
    if (flushed === true) this.#forgetFlushed(false);
    return known === undefined ? NOTHING : this.#lackedBy(new Set(known));
  }

  /** The endpoint is closed. */
  close(): void {
    this.#closed.abort();
    this.cache.clear();
  }

  /** A primary that cannot be asked now is asked before the next move. */
  #forgetFlushed(isCertain: boolean): void {
    this.#primary()
      .forgetFlushed(isCertain)
      .catch(() => undefined);
  }

  #lackedBy(known: ReadonlySet<string>): ScriptsOutcome {
    const { taken, isAll } = portionOf(this.cache.entries().filter(([sha]) => !known.has(sha)));
    return { bodies: taken.map(([, body]) => body.toString("base64")), more: !isAll };
  }

  async #gather(): Promise<boolean> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const known = this.cache.entries().map(([sha]) => sha);
      const answers = await this.#context.askScripts({ bdb: this.#bdb, known });
      if (this.#closed.signal.aborted) return true;
      const given = (answers ?? []).filter((answer) => "bodies" in answer);
      const before = this.cache.uses;
      for (const { bodies } of given) for (const body of bodies) this.cache.addSpare(Buffer.from(body, "base64"));
      const isMore = given.some(({ more }) => more) && this.cache.uses > before;
      if (!isMore) return answers?.length === given.length;
    }
    return true;
  }

  #send(): void {
    if (this.#isSending || this.#closed.signal.aborted) return;
    this.#isSending = true;
    void this.#retried(() => this.#sendAll()).finally(() => {
      this.#isSending = false;
    });
  }

  /** False when one of the others did not answer: all is sent again. */
  async #sendAll(): Promise<boolean> {
    while (this.#isFlushed || this.#unsent.size > 0) {
      const { taken } = portionOf(this.cache.entries().filter(([sha]) => this.#unsent.has(sha)));
      const isFlush = this.#isFlushed;
      this.#isFlushed = false;
      const bodies = taken.map(([, body]) => body.toString("base64"));
      const sent = taken.length > 0 ? taken.map(([sha]) => sha) : [...this.#unsent]; // the rest was forgotten, or is too large
      if (taken.length > 0 || isFlush) {
        const request = { bdb: this.#bdb, bodies, ...(isFlush ? { flushed: true as const } : {}) };
        if (!(await this.#give(request))) {
          this.#isFlushed ||= isFlush;
          return false;
        }
      }
      for (const sha of sent) this.#unsent.delete(sha);
    }
    return true;
  }

  /** Whether all others have taken it. */
  async #give(request: ScriptsRequest): Promise<boolean> {
    const answers = await this.#context.askScripts(request);
    return answers !== undefined && answers.every((answer) => !("missing" in answer));
  }

  /** Repeats `act` until it succeeds, later and later. */
  async #retried(act: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#closed;
    try {
      for (let pauseMs: number = PAUSE_MS.least; !signal.aborted; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most)) {
        // what comes in the same moment goes together
        await this.#context.clock.sleep(pauseMs, signal);
        if (await act()) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

const NOTHING: ScriptsOutcome = { bodies: [], more: false };
/** More messages than all scripts of a database take. */
const MOST_ROUNDS = 100;
const PAUSE_MS = { least: 20, most: 10_000 } as const;

/** As many of the scripts as one message takes, those that were used last first. */
function portionOf(entries: readonly Entry[]): { readonly taken: readonly Entry[]; readonly isAll: boolean } {
  const taken: Entry[] = [];
  let bytes = 0;
  for (const entry of entries.toReversed()) {
    const { length } = entry[1];
    if (length > SHARED_AT_ONCE.bytes) continue;
    if (taken.length >= SHARED_AT_ONCE.scripts || bytes + length > SHARED_AT_ONCE.bytes) return { taken, isAll: false };
    taken.push(entry);
    bytes += length;
  }
  return { taken, isAll: true };
}

/** A script by its digest. */
type Entry = readonly [string, Buffer];
