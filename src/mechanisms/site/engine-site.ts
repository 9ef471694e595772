import { capturedEffects } from "../../core/merge/captured-effects.ts";
import type { Effect, Operation } from "../../core/merge/operation.ts";
import { Site, type Apply } from "../../core/merge/site.ts";
import type { Clock } from "../../core/base/clock.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import { readReplicationStream } from "../../ports/resp/replication-stream.ts";
import type { Reply } from "../../ports/resp/reply.ts";
import { effectsOfReads, readsOf } from "./key-reads.ts";
import { markedTransaction } from "./marks.ts";
import { StreamUnits, type StreamUnit } from "./stream-units.ts";

export interface EngineSiteOptions {
  readonly id: number;
  /** All sites, this one included. */
  readonly sites: readonly number[];
  readonly engine: EngineAddress;
  readonly clock: Clock;
  /** Gives an operation of this site to the links; in the order of its numbers. */
  readonly send: (operation: Operation) => void;
  readonly signal: AbortSignal;
}

/** How often a site says what it has seen, in milliseconds. */
const BEAT_MS = 100;
const TIMEOUT_MS = 10_000;

/** One site of an Active-Active database at its primary: captures what the engine does, and applies what other sites did. */
export class EngineSite {
  readonly #options: EngineSiteOptions;
  readonly #site: Site;
  readonly #client: EngineClient;
  readonly #units = new StreamUnits();
  readonly #reads = new Map<string, PendingRead>();
  readonly #unread = new Set<string>();
  #readNumber = 0;

  private constructor(options: EngineSiteOptions, client: EngineClient) {
    this.#options = options;
    this.#site = new Site(options.id, options.sites);
    this.#client = client;
  }

  /** Connects; `ended` settles when the engine ends a connection, or the signal comes. */
  static async start(
    options: EngineSiteOptions,
  ): Promise<{ readonly site: EngineSite; readonly ended: Promise<void> }> {
    const client = await connectEngine({
      ...options.engine,
      timeoutMs: TIMEOUT_MS,
      signal: options.signal,
      bulk: "bytes",
    });
    const site = new EngineSite(options, client);
    const stream = readReplicationStream({ ...options.engine, timeoutMs: TIMEOUT_MS, signal: options.signal });
    await stream.next(); // attached: nothing is missed from now on
    const follow = async (): Promise<void> => {
      for await (const event of stream) {
        const unit = event.kind === "command" ? site.#units.add(event) : undefined;
        if (unit !== undefined) await site.#take(unit);
      }
    };
    const beats = site.#beat();
    const closed = client.closed.then((fault) => {
      if (!options.signal.aborted) throw fault;
    });
    return { site, ended: Promise.race([follow(), beats, closed]) };
  }

  /** What another site did. */
  received(operation: Operation): void {
    this.#apply(this.#site.received(operation));
  }

  /** Keys of which more is known than what all sites agree on. */
  get knownKeys(): number {
    return this.#site.knownKeys;
  }

  async #take(unit: StreamUnit): Promise<void> {
    if (unit.kind === "mark") {
      const read = this.#reads.get(unit.mark);
      if (read === undefined) {
        this.#apply(this.#site.applied(unit.mark));
        return;
      }
      this.#reads.delete(unit.mark);
      this.#capture(effectsOfReads(read.key, await read.replies));
      return;
    }
    const captured = unit.commands.map((command) => capturedEffects(command));
    this.#capture(captured.flatMap((each) => each?.effects ?? []));
    for (const key of captured.flatMap((each) => each?.read ?? [])) this.#read(key);
  }

  #capture(effects: readonly Effect[]): void {
    if (effects.length > 0) this.#options.send(this.#site.captured(effects, this.#options.clock.now().getTime()));
  }

  #apply(applies: readonly Apply[]): void {
    for (const { mark, commands } of applies) this.#transaction(mark, commands).catch(() => undefined); // as above
  }

  /** Several changes of a key within one turn are read once. */
  #read(key: string): void {
    if (this.#unread.has(key)) return;
    this.#unread.add(key);
    setImmediate(() => {
      this.#unread.delete(key);
      this.#readNumber += 1;
      const mark = `read:${this.#readNumber}`;
      const replies = this.#transaction(mark, readsOf(key)).then((all) => all.slice(3));
      replies.catch(() => undefined); // `ended` has the failure of the connection
      this.#reads.set(mark, { key, replies });
    });
  }

  /** The replies of the commands of the transaction, those before them included. */
  async #transaction(mark: string, commands: Apply["commands"]): Promise<readonly Reply[]> {
    const replies = markedTransaction(mark, commands).map((command) => this.#client.call(...command));
    const [executed] = (await Promise.all(replies)).slice(-1);
    return Array.isArray(executed) ? executed : [];
  }

  /** Says what this site has seen, and forgets what all have. */
  async #beat(): Promise<void> {
    const { clock, signal, send } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(BEAT_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
      if (this.#site.hasUnsaid) send(this.#site.captured([], clock.now().getTime()));
      this.#site.forgetAgreed();
    }
  }
}

interface PendingRead {
  readonly key: string;
  readonly replies: Promise<readonly Reply[]>;
}
