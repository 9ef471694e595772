import { OpenKeys } from "../../core/migration/open-keys.ts";
import type { Destinations } from "../../core/slots/passage.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { KeyComparison } from "./comparison.ts";
import { cutOver, type CutOver } from "./cut-over.ts";
import { EndpointWriter } from "./endpoint-writer.ts";
import { KeyReader } from "./key-reader.ts";
import { SourceFollower, type FollowerProgress } from "./source-follower.ts";

export interface MigrationOptions {
  readonly source: EngineAddress;
  readonly endpoint: EngineAddress;
  /** Which slots the shards of the endpoint have. */
  readonly shards: Destinations;
  readonly signal: AbortSignal;
}

/** How a migration stands. */
export interface MigrationProgress extends FollowerProgress {
  /** Bytes of the stream that the source has written and the endpoint does not have. */
  readonly behind: number;
  /** Keys that were found the same. */
  readonly compared: number;
  /** Keys of which that is not known. */
  readonly open: number;
  /** Each key was looked at once. */
  readonly isWhole: boolean;
}

/** The data of a service outside on their way into a database: copied, followed, compared, and handed over at the end. */
export class Migration implements Disposable {
  readonly #control: EngineClient;
  readonly #writer: EndpointWriter;
  readonly #follower: SourceFollower;
  readonly #comparison: KeyComparison;
  readonly #readers: readonly KeyReader[];
  readonly #open = new OpenKeys(MOST_OPEN);
  readonly #options: MigrationOptions;
  readonly #followed: Promise<void>;
  #written = 0;

  private constructor(
    options: MigrationOptions,
    [control, writer, source, endpoint]: readonly [EngineClient, EndpointWriter, KeyReader, KeyReader],
  ) {
    const { signal, shards } = options;
    this.#options = options;
    this.#control = control;
    this.#writer = writer;
    this.#readers = [source, endpoint];
    this.#comparison = new KeyComparison({ source, endpoint, open: this.#open });
    this.#follower = new SourceFollower({ source: options.source, writer, shards, open: this.#open, signal });
    this.#followed = this.#follower.run();
    // whoever waits for something of it gets the fault
    this.#followed.catch(() => undefined);
  }

  /** Begins to copy. The endpoint has nothing yet. */
  static async begin(options: MigrationOptions): Promise<Migration> {
    const { source, endpoint } = options;
    const control = connectEngine({ ...source, timeoutMs: ANSWER_MS });
    const opened = await Promise.allSettled([
      control,
      EndpointWriter.open(endpoint),
      KeyReader.open(source),
      KeyReader.open(endpoint),
    ]);
    const [first, second, third, fourth] = opened;
    if (
      first.status === "fulfilled" &&
      second.status === "fulfilled" &&
      third.status === "fulfilled" &&
      fourth.status === "fulfilled"
    )
      return new Migration(options, [first.value, second.value, third.value, fourth.value]);
    for (const each of opened) if (each.status === "fulfilled") each.value.close();
    const failed = opened.find((each) => each.status === "rejected");
    throw failed?.reason;
  }

  /** How it stands; asks the source what it has written. */
  async progress(): Promise<MigrationProgress> {
    this.#written = Math.max(this.#written, await offsetOf(this.#control));
    const { compared, isWhole } = this.#comparison;
    const followed = this.#follower.progress;
    const behind = Math.max(0, this.#written - followed.applied);
    return { ...followed, behind, compared, open: this.#open.size, isWhole };
  }

  /** Resolves when the endpoint has what the source had at this moment. */
  async copied(): Promise<void> {
    const offset = await offsetOf(this.#control);
    await this.#whileFollowed(this.#follower.reach(offset, this.#options.signal));
  }

  /** Looks at each key of both sides in these numbered databases. */
  async compare(databases: readonly number[]): Promise<void> {
    const next = async (): Promise<boolean> => {
      this.#follower.goOn();
      // what was written meanwhile is looked at before it is too much
      if (this.#open.size > MOST_OPEN / 2) await this.lookAtOpen();
      return !this.#options.signal.aborted;
    };
    await this.#whileFollowed(this.#comparison.lookAtAll(databases, next));
  }

  /** Looks at the keys that may differ, among them those that were written since. */
  async lookAtOpen(): Promise<void> {
    await this.#whileFollowed(this.#comparison.lookAtOpen());
    this.#follower.goOn();
  }

  /** Pauses the writes of the source until both sides are the same, and ends them there. MIGRATION_NOT_IN_TIME: the source goes on. */
  async handOver(pauseMs: number): Promise<CutOver> {
    for (let round = 0; round < MOST_ROUNDS && this.#open.size > FEW_OPEN; round++) await this.lookAtOpen();
    await this.copied();
    // it is bounded by its pause, and not broken off: what it has begun it takes back
    const sides = { control: this.#control, follower: this.#follower, comparison: this.#comparison, open: this.#open };
    return cutOver(sides, pauseMs);
  }

  [Symbol.dispose](): void {
    this.#control.close();
    this.#writer.close();
    for (const reader of this.#readers) reader.close();
  }

  /** Fails with the fault of the follower when that ends first. */
  async #whileFollowed<T>(work: Promise<T>): Promise<T> {
    const ended = this.#followed.then((): never => {
      this.#options.signal.throwIfAborted();
      throw new Error("the follower has ended without a reason");
    });
    return Promise.race([work, ended]);
  }
}

/** The place in the stream of an engine up to which it has written. */
async function offsetOf(engine: Pick<EngineClient, "call">): Promise<number> {
  return replicationView(parseInfo(textOf(await engine.call("INFO", "replication"))))?.offset ?? 0;
}

const ANSWER_MS = 30_000;
/** Names of keys that are kept: beyond it the stream waits. */
const MOST_OPEN = 100_000;
/** So many are compared within moments while writes wait. */
const FEW_OPEN = 100;
const MOST_ROUNDS = 10;
