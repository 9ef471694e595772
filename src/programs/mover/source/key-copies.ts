import { destinationOfKey, type Destinations } from "../../../core/slots/passage.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { encodeCommand, type Arg } from "../../../ports/resp/encode.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { StreamPassing } from "./stream-passing.ts";
import type { TouchedKey } from "./touched-keys.ts";

export interface KeyCopiesOptions {
  readonly engine: EngineAddress;
  readonly passing: StreamPassing;
  readonly destinations: Destinations;
  readonly signal: AbortSignal;
}

/** Copies keys again whose values could not be passed on: a few at a time while clients write, and the rest while they do not. */
export class KeyCopies {
  readonly #options: KeyCopiesOptions;
  #client: EngineClient | undefined;
  #reads = 0;
  /** What is being read, until the place of the stream comes by where it was read. */
  #pending:
    | { readonly mark: string; readonly keys: readonly TouchedKey[]; readonly replies: Promise<readonly Reply[]> }
    | undefined;

  constructor(options: KeyCopiesOptions) {
    this.#options = options;
  }

  /** Begins to read some of the touched keys, unless that is done already, or there are none. */
  async begin(): Promise<void> {
    const { touched } = this.#options.passing;
    if (touched.size === 0 || this.#pending !== undefined) return;
    this.#client ??= await this.#connect();
    this.#reads += 1;
    const mark = String(this.#reads);
    const keys = touched.some(KEYS_AT_ONCE);
    const replies = this.#client.callAll([["MULTI"], ...readsOf(keys), ["PUBLISH", CHANNEL, mark], ["EXEC"]], "latin1");
    const results = replies.then((all) => resultsOf(all.at(-1)));
    results.catch(() => undefined); // who takes them, or the connection, has the failure
    this.#pending = { mark, keys, replies: results };
  }

  /** True when the message of a stream says that what is pending was read at this place. */
  isMark(channel: string, mark: string): boolean {
    return channel === CHANNEL && mark === this.#pending?.mark;
  }

  /** What was read is given to the targets at this place of the stream. */
  async takePending(): Promise<void> {
    if (this.#pending === undefined) return;
    const { keys, replies } = this.#pending;
    this.#give(keys, (await replies).slice(0, -1));
    this.#pending = undefined;
  }

  /** Copies all that is left: the source is quiet, and all that it has written was passed on. */
  async finish(): Promise<void> {
    const { touched } = this.#options.passing;
    if (touched.size === 0) return;
    // what is pending waits until clients may write again
    const client = await this.#connect();
    try {
      while (touched.size > 0) {
        const keys = touched.some(KEYS_AT_ONCE);
        const replies = await client.callAll(readsOf(keys), "latin1");
        this.#give(keys, replies.map(requireReply));
      }
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

  /** Three replies for each key. */
  #give(keys: readonly TouchedKey[], replies: readonly Reply[]): void {
    const { passing, destinations } = this.#options;
    for (const [at, touched] of keys.entries()) {
      const target = destinationOfKey(touched.key, destinations);
      const [value, expires] = [replies[3 * at + 1], Number(replies[3 * at + 2])];
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
const TIMEOUT_MS = 10_000;
/** What PEXPIRETIME answers for a key that is not there. */
const GONE = -2;
/** Not one that a client would have. */
const CHANNEL = "store-enterprise:mover:read";
