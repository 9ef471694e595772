import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { startTimer } from "../timing/timer.ts";
import type { ScriptLoader } from "../upstream/script-loader.ts";
import { ScriptArrival } from "./script-arrival.ts";

interface Engine {
  readonly scripts: Pick<ScriptLoader, "load" | "forgetFlushed" | "lacking" | "refused" | "has">;
}

/** What taking scripts along needs of its endpoint. */
export interface ScriptCarrierContext {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks the other proxies for the scripts that they know: false when one of them did not answer. It does not reject. */
  readonly gatherScripts: () => Promise<boolean>;
  /** The database has other shards, each of which gets a script when it is first asked for it. */
  readonly hasOtherShards: boolean;
}

/** Takes the scripts of clients along from primary to primary. No engine's reply to a script, and no number of them, stops a move. */
export class ScriptCarrier {
  readonly #context: ScriptCarrierContext;
  readonly #primary: () => Engine | undefined;
  #cancelRetry: () => void = () => undefined;
  #arrival: { readonly engine: Engine; readonly scripts: ScriptArrival } | undefined;
  #hasServed = false;

  constructor(context: ScriptCarrierContext, primary: () => Engine | undefined) {
    this.#context = context;
    this.#primary = primary;
  }

  /** Before a move: resolves when `target` has the scripts, or after a while; the rest is loaded beside the move. */
  async prepare(target: Engine): Promise<void> {
    await this.#within(PREPARE_MS, this.#carry(target));
  }

  /** Brings the scripts to the new primary while clients wait, and tries again until all are there. `isIdle`: no client has been there yet. */
  async complete(primary: Engine, { isIdle = false } = {}): Promise<void> {
    const loaded = this.#load(primary, isIdle);
    // a proxy that begins finds an engine that has served before
    if (this.#hasServed) this.#arrival = { engine: primary, scripts: this.#expect(primary, loaded) };
    this.#hasServed = true;
    await this.#within(
      COMPLETE_MS,
      loaded.then(() => undefined),
    );
  }

  /**
   * The wait after which the primary is asked again, until it is sure that no proxy knows the script when the primary says NOSCRIPT of this
   * digest; undefined when no wait is needed.
   */
  awaits(sha: string): Promise<void> | undefined {
    return this.#arrival?.engine === this.#primary() ? this.#arrival?.scripts.awaits(sha) : undefined;
  }

  /** Forgets what the primary has not any more; `isCertain`: a client of this proxy has flushed all there. */
  async forgetFlushed(isCertain: boolean): Promise<void> {
    await this.#primary()?.scripts.forgetFlushed(isCertain);
  }

  /** Those of the known scripts that the primary lacks, by their digests; rejects when it cannot be asked. */
  async lacking(): Promise<readonly string[]> {
    const primary = this.#primary();
    if (primary === undefined) throw new Error("there is no primary that could be asked");
    return primary.scripts.lacking();
  }

  async #carry(target: Engine): Promise<void> {
    await this.#context.gatherScripts();
    // what one shard lacks may be known at another
    if (!this.#context.hasOtherShards) await this.#quietly(this.#primary()?.scripts.forgetFlushed());
    await this.#load(target);
  }

  #expect(engine: Engine, loaded: Promise<boolean>): ScriptArrival {
    return new ScriptArrival(this.#context.clock, engine.scripts, {
      loaded,
      bringRest: async () => (await this.#context.gatherScripts()) && (await this.#load(engine)),
      isPrimary: () => this.#primary() === engine,
    });
  }

  /** Loads the scripts; false when that failed, and is tried again beside. */
  async #load(engine: Engine, isIdle = false): Promise<boolean> {
    const { refused } = engine.scripts;
    const isDone = await this.#quietly(engine.scripts.load({ isIdle }));
    const more = engine.scripts.refused - refused;
    if (more > 0)
      this.#context.log.warn("the engine does not take scripts that another engine took", { scripts: more });
    if (isDone) return true;
    this.#cancelRetry();
    this.#cancelRetry = startTimer(this.#context.clock, RETRY_MS, () => {
      if (engine === this.#primary()) void this.#load(engine);
    });
    return false;
  }

  /** Waits for `work`; false when it failed. */
  async #quietly(work: Promise<void> | undefined): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      this.#context.log.debug("scripts of clients cannot be loaded or compared now", { error });
      return false;
    }
  }

  async #within(ms: number, work: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<undefined>();
    const cancel = startTimer(this.#context.clock, ms, () => {
      late.resolve(undefined);
    });
    await Promise.race([work, late.promise]);
    cancel();
  }
}

/** Less than the time in which a proxy must answer, with room for the connections that are dialled before. */
const PREPARE_MS = 700;
/** How long `complete` may take, in milliseconds: clients are held. */
const COMPLETE_MS = 100;
const RETRY_MS = 1_000;
