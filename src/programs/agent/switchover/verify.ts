import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { connectEngine } from "../../../ports/resp/engine-client.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import { faults } from "../faults.ts";
import { roleOf } from "./engines.ts";
import type { EngineControl } from "./engines.ts";
import { Pace } from "./pace.ts";
import type { VerifyPair } from "./settle.ts";
import { compareKeys } from "./verify-keys.ts";
import type { LargeValues, VerifiedKey } from "./verify-keys.ts";

export interface VerifyRequest {
  readonly primary: EngineAddress;
  readonly replica: EngineAddress;
  readonly clock: Pick<Clock, "uptimeMs" | "sleep">;
  readonly signal?: AbortSignal;
  /** A database with more keys is sampled; 20,000 when absent. */
  readonly maxKeys?: number;
  /** Parts of large values that are compared; with more, the rest is judged by its size. 1,000,000 when absent. */
  readonly maxElements?: number;
  /** After so many milliseconds large values are judged by their sizes; 60,000 when absent. */
  readonly maxMs?: number;
}

export interface VerifyResult {
  /** Compared keys, of both sides; a key of a small database counts once for each side. */
  readonly keys: number;
  readonly different: number;
  /** Some of the different keys, for messages. */
  readonly examples: readonly string[];
  /** Keys that changed under each comparison: no verdict. */
  readonly changing: number;
  /** Keys that were gone before they could be compared. */
  readonly expired: number;
  /** False when only a sample was compared, large values only in part, or keys with very long names not at all. */
  readonly whole: boolean;
}

const MAX_KEYS = 20_000;
const MAX_ELEMENTS = 1_000_000;
const MAX_MS = 60_000;
/** The most keys of one question, and the bytes of their names up to which the next one is for more of them. */
const BATCH = 200;
const BATCH_BYTES = 64 * 1024;
/** A key with a longer name, in bytes, is not compared: each question about it would bring the name to the engines again. */
const LONGEST_NAME = 64 * 1024;
const EXAMPLES = 10;
const ANSWER_MS = 10_000;

/**
 * Compares a replica with its primary while clients write. A value counts as different only when it stayed the same on the primary from
 * before to after it was read from the replica, the replica had applied everything up to there, and still it differs. The keys of both sides
 * are compared, so that one too many is found as well as one too few. No question takes an engine more than some milliseconds.
 */
export async function verifyReplica(request: VerifyRequest): Promise<VerifyResult> {
  const primary = await open(request.primary, request.signal);
  const replica = await open(request.replica, request.signal).catch((error: unknown) => {
    primary.client.close();
    throw error;
  });
  try {
    return await comparePair({ primary, replica, pace: new Pace(request.clock, request.signal) }, request);
  } finally {
    primary.client.close();
    replica.client.close();
  }
}

async function comparePair(pair: VerifyPair, request: VerifyRequest): Promise<VerifyResult> {
  await requirePair(pair);
  const tally = new Tally();
  const { maxKeys = MAX_KEYS, maxElements: left = MAX_ELEMENTS, maxMs = MAX_MS } = request;
  // what is left of a value when the time is over would be judged by its size from the other side too
  const large: LargeValues = { left, untilMs: pair.pace.nowMs() + maxMs, isShort: false, included: new Set() };
  let whole = true;
  for (const database of await databasesOf(pair)) {
    await Promise.all([pair.primary, pair.replica].map(({ client }) => client.call("SELECT", database)));
    large.included.clear();
    for (const side of [pair.primary, pair.replica]) {
      const complete = await compareSide(side, pair, { maxKeys, large }, tally);
      whole &&= complete;
    }
  }
  return { ...tally.result(), whole };
}

/** Walks over the keys of one side; true when it saw all of them. */
async function compareSide(
  side: EngineControl,
  pair: VerifyPair,
  { maxKeys, large }: { readonly maxKeys: number; readonly large: LargeValues },
  tally: Tally,
): Promise<boolean> {
  const small = Number(await side.client.call("DBSIZE")) <= maxKeys;
  let seen = 0;
  let cursor = small ? "0" : randomCursor();
  let ends = 0;
  let count = 1;
  do {
    const batch = await pair.pace.ask(() => scan(side, cursor, count));
    const keys = batch.keys.filter(({ length }) => length <= LONGEST_NAME);
    large.isShort ||= keys.length < batch.keys.length;
    tally.add(await compareKeys(pair, side, keys, large));
    seen += batch.keys.length;
    count = countAfter(count, batch.keys);
    cursor = batch.cursor;
    if (cursor === "0") ends += 1;
    // a sample that began near the end goes on from the beginning, but only once: the keys may have gone meanwhile
  } while (small ? ends === 0 : seen < maxKeys && ends < 2);
  return small && !large.isShort;
}

class Tally {
  #keys = 0;
  #different = 0;
  #changing = 0;
  #expired = 0;
  readonly #examples = new Set<string>();

  add(compared: readonly VerifiedKey[]): void {
    for (const { key, verdict } of compared) {
      this.#keys += 1;
      if (verdict === "changing") this.#changing += 1;
      if (verdict === "expired") this.#expired += 1;
      if (verdict !== "different") continue;
      this.#different += 1;
      if (this.#examples.size < EXAMPLES) this.#examples.add(Buffer.from(key).toString());
    }
  }

  result(): Omit<VerifyResult, "whole"> {
    const examples = [...this.#examples];
    return { keys: this.#keys, different: this.#different, examples, changing: this.#changing, expired: this.#expired };
  }
}

async function open(address: EngineAddress, signal: AbortSignal | undefined): Promise<EngineControl> {
  const { host, port } = address;
  return { host, port, client: await connectEngine({ ...address, timeoutMs: ANSWER_MS, bulk: "bytes", signal }) };
}

async function requirePair({ primary, replica }: VerifyPair): Promise<void> {
  const { link } = await roleOf(replica);
  if (link?.host === primary.host && link.port === primary.port && link.status === "up") return;
  throw new Fault(
    faults.notAReplica,
    `${replica.host}:${replica.port} does not replicate from ${primary.host}:${primary.port}`,
    { link },
  );
}

/** Numbers of the databases that hold keys on either side. */
async function databasesOf({ primary, replica }: VerifyPair): Promise<readonly number[]> {
  const texts = await Promise.all([primary, replica].map(({ client }) => client.call("INFO", "keyspace")));
  const names = texts.flatMap((text) => [...textOf(text).matchAll(/^db(\d+):/gm)].map(([, number]) => Number(number)));
  return [...new Set(names)].toSorted((a, b) => a - b);
}

async function scan(
  { client }: EngineControl,
  cursor: string,
  count: number,
): Promise<{ cursor: string; keys: readonly Uint8Array[] }> {
  const [next = null, keys = null] = listOf(await client.call("SCAN", cursor, "COUNT", count));
  return { cursor: textOf(next), keys: listOf(keys).filter((key) => key instanceof Uint8Array) };
}

/** How many keys the next question is for, by the names that the last one has brought: how long they are is known only then. */
function countAfter(count: number, keys: readonly Uint8Array[]): number {
  const bytes = keys.reduce((sum, { length }) => sum + length, 0);
  return Math.min(BATCH, bytes > BATCH_BYTES ? Math.ceil(count / 4) : count * 2);
}

/** Any number is a valid cursor: a large database is sampled from another place each time. */
function randomCursor(): string {
  return String(1 + Math.floor(Math.random() * 2 ** 31));
}
