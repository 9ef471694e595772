import { destinationOfKey, type Destinations } from "../../../core/slots/passage.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { encodeCommand, type Arg } from "../../../ports/resp/encode.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { MisplacedKey } from "./misplaced-keys.ts";
import type { StreamPassing } from "./stream-passing.ts";
import type { TouchedKey } from "./touched-keys.ts";

export interface KeyCopiesOptions {
  readonly engine: EngineAddress;
  readonly passing: StreamPassing;
  readonly destinations: Destinations;
  readonly signal: AbortSignal;
}

/**
 * Copies keys again whose values could not be passed on: a few at a time while clients write, and the rest while they do not. Asks besides which of
 * those that are misplaced are still there.
 */
export class KeyCopies {
  readonly #options: KeyCopiesOptions;
  #client: EngineClient | undefined;
  #reads = 0;
  /** What is being read, until the place of the stream comes by where it was read. */
  #pending:
    | {
        readonly mark: string;
        readonly keys: readonly TouchedKey[];
        readonly misplaced: readonly MisplacedKey[];
        readonly replies: Promise<readonly Reply[]>;
      }
    | undefined;
  /** When misplaced keys were looked at last, by `performance.now`. */
  #lookedAt = 0;

  constructor(options: KeyCopiesOptions) {
    this.#options = options;
  }

  /** Begins to read some of the touched keys, and to look for some of the misplaced ones, unless that is done already, or there are none. */
  async begin(): Promise<void> {
    if (this.#pending !== undefined) return;
    const keys = this.#options.passing.touched.some(KEYS_AT_ONCE);
    const misplaced = this.#dueMisplaced();
    if (keys.length === 0 && misplaced.length === 0) return;
    this.#client ??= await this.#connect();
    this.#reads += 1;
    const mark = String(this.#reads);
    const asked = [...readsOf(keys), ...looksFor(misplaced)];
    const replies = this.#client.callAll([["MULTI"], ...asked, ["PUBLISH", CHANNEL, mark], ["EXEC"]], "latin1");
    const results = replies.then((all) => resultsOf(all.at(-1)));
    results.catch(() => undefined); // who takes them, or the connection, has the failure
    this.#pending = { mark, keys, misplaced, replies: results };
  }

  /** True when the message of a stream says that what is pending was read at this place. */
  isMark(channel: string, mark: string): boolean {
    return channel === CHANNEL && mark === this.#pending?.mark;
  }

  /** What was read is given to the targets at this place of the stream. */
  async takePending(): Promise<void> {
    if (this.#pending === undefined) return;
    const { keys, misplaced, replies } = this.#pending;
    const results = await replies;
    this.#give(keys, results);
    this.#settle(misplaced, results.slice(REPLIES_OF_READ * keys.length));
    this.#pending = undefined;
  }

  /** Copies all that is left, and looks for some of the misplaced keys: the source is quiet, and all that it has written was passed on. */
  async finish(): Promise<void> {
    const { touched, misplaced } = this.#options.passing;
    const left = misplaced.some(MISPLACED_AT_ONCE);
    if (touched.size === 0 && left.length === 0) return;
    // what is pending waits until clients may write again
    const client = await this.#connect();
    try {
      while (touched.size > 0) {
        const keys = touched.some(KEYS_AT_ONCE);
        const replies = await client.callAll(readsOf(keys), "latin1");
        this.#give(keys, replies.map(requireReply));
      }
      if (left.length > 0) this.#settle(left, (await client.callAll(looksFor(left), "latin1")).map(requireReply));
    } finally {
      client.close();
    }
  }

  close(): void {
    this.#client?.close();
  }

  #connect(): Promise<EngineClient> {
    const { engine, signal } = this.#options;
    return connectEngine({ ...engine, timeoutMs: TIMEOUT_MS, signal, bulk: "bytes" });
  }

  /** Some of those that are misplaced, once in a while. */
  #dueMisplaced(): readonly MisplacedKey[] {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return [];
    this.#lookedAt = now;
    return this.#options.passing.misplaced.some(MISPLACED_AT_ONCE);
  }

  #settle(misplaced: readonly MisplacedKey[], replies: readonly Reply[]): void {
    this.#options.passing.misplaced.settle(misplaced, (at) => Number(replies[REPLIES_OF_LOOK * at + 1]) > 0);
  }

  #give(keys: readonly TouchedKey[], replies: readonly Reply[]): void {
    const { passing, destinations } = this.#options;
    for (const [at, touched] of keys.entries()) {
      const target = destinationOfKey(touched.key, destinations);
      const first = REPLIES_OF_READ * at;
      const [value, expires] = [replies[first + 1], Number(replies[first + 2])];
      if (target !== undefined) passing.give(target, touched.database, commandFor(touched, value, expires));
      passing.touched.delete(touched);
    }
  }
}

function readsOf(keys: readonly TouchedKey[]): readonly (readonly Arg[])[] {
  return keys.flatMap(({ database, key }) => [
    ["SELECT", database],
    ["DUMP", key],
    ["PEXPIRETIME", key],
  ]);
}

function looksFor(keys: readonly MisplacedKey[]): readonly (readonly Arg[])[] {
  return keys.flatMap(({ database, key }) => [
    ["SELECT", database],
    ["EXISTS", key],
  ]);
}

/** What makes the key at its target what it is at the source. A key that has expired meanwhile is gone. */
function commandFor({ key }: TouchedKey, value: Reply | undefined, expires: number): Buffer {
  if (!(value instanceof Uint8Array) || expires === GONE) return encodeCommand(["DEL", key]);
  return encodeCommand(["RESTORE", key, Math.max(0, expires), value, "REPLACE", ...(expires > 0 ? ["ABSTTL"] : [])]);
}

function resultsOf(reply: Reply | Error | undefined): readonly Reply[] {
  const results = requireReply(reply);
  if (Array.isArray(results)) return results as readonly Reply[];
  throw new TypeError("a transaction was not executed");
}

function requireReply(reply: Reply | Error | undefined): Reply {
  if (reply === undefined || reply instanceof Error) throw reply ?? new TypeError("a reply is missing");
  return reply;
}

const KEYS_AT_ONCE = 64;
const REPLIES_OF_READ = 3;
const REPLIES_OF_LOOK = 2;
const MISPLACED_AT_ONCE = 500;
const LOOK_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** What PEXPIRETIME answers for a key that is not there. */
const GONE = -2;
/** Not one that a client would have. */
const CHANNEL = "store-enterprise:mover:read";
