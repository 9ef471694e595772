import { setTimeout as sleep } from "node:timers/promises";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import { awaitOffset, roleOf } from "./engines.ts";
import type { EngineControl } from "./engines.ts";

export interface VerifyPair {
  readonly primary: EngineControl;
  readonly replica: EngineControl;
}

export interface ComparedKey {
  readonly key: Uint8Array;
  readonly verdict: "equal" | "different" | "changing" | "expired";
}

/** The digests of a key on both sides; that of the primary is taken before and after that of the replica. */
interface Digests {
  readonly key: Uint8Array;
  readonly before: string;
  readonly replica: string;
  readonly after: string;
}

const ROUNDS = 5;
const BETWEEN_ROUNDS_MS = 5;
/** Digest of a key that is not there. */
const ABSENT = "0".repeat(40);
const SCORES_AT_ONCE = 1_000;

/**
 * Compares keys of the selected database. A key that differs is read again: it is different when it has not changed on
 * either side in any round, so that a busy key never counts as a lost one.
 */
export async function compareKeys(pair: VerifyPair, keys: readonly Uint8Array[]): Promise<readonly ComparedKey[]> {
  const settled: ComparedKey[] = [];
  const first = new Map<string, Digests>();
  const busy = new Set<string>();
  let open = keys;
  for (let n = 0; n < ROUNDS && open.length > 0; n += 1) {
    if (n > 0) await sleep(BETWEEN_ROUNDS_MS * n);
    const unsettled: Uint8Array[] = [];
    for (const read of await observeEngines(pair, open)) {
      const { key } = read;
      const verdict = await verdictOf(pair, read);
      if (verdict !== undefined) settled.push({ key, verdict });
      else unsettled.push(key);
      const seen = first.get(nameOf(key)) ?? read;
      first.set(nameOf(key), seen);
      if (hasMoved(read, seen)) busy.add(nameOf(key));
    }
    open = unsettled;
  }
  const rest = open.map((key) => ({ key, verdict: busy.has(nameOf(key)) ? "changing" : "different" }) as const);
  return [...settled, ...rest];
}

function hasMoved(read: Digests, first: Digests): boolean {
  return read.before !== read.after || read.before !== first.before || read.replica !== first.replica;
}

async function observeEngines(
  { primary, replica }: VerifyPair,
  keys: readonly Uint8Array[],
): Promise<readonly Digests[]> {
  const before = await digests(primary, keys);
  await awaitOffset((await roleOf(primary)).offset, replica);
  const middle = await digests(replica, keys);
  const after = await digests(primary, keys);
  return keys.map((key, i) => ({
    key,
    before: before[i] ?? ABSENT,
    replica: middle[i] ?? ABSENT,
    after: after[i] ?? ABSENT,
  }));
}

/** Undefined when this round settles nothing. */
async function verdictOf(pair: VerifyPair, read: Digests): Promise<"equal" | "expired" | undefined> {
  if (read.before !== read.after) return undefined;
  if (read.before === read.replica) return read.before === ABSENT ? "expired" : "equal";
  if (read.before === ABSENT || read.replica === ABSENT) return undefined;
  return (await scoresAreEqual(pair, read.key)) ? "equal" : undefined;
}

/**
 * Engines write the same score in different digits (0.33333333333333331 and 0.3333333333333333), and digests are taken of
 * the digits: sorted sets that differ are compared by number.
 */
async function scoresAreEqual({ primary, replica }: VerifyPair, key: Uint8Array): Promise<boolean> {
  const types = await Promise.all([primary, replica].map(({ client }) => client.call("TYPE", key)));
  if (types.some((type) => textOf(type) !== "zset")) return false;
  for (let start = 0; ; start += SCORES_AT_ONCE) {
    const end = start + SCORES_AT_ONCE - 1;
    const [ours = [], theirs = []] = await Promise.all(
      [primary, replica].map(async ({ client }) => listOf(await client.call("ZRANGE", key, start, end, "WITHSCORES"))),
    );
    if (ours.length !== theirs.length) return false;
    const same = ours.every((value, i) => sameEntry(i, textOf(value), textOf(theirs[i] ?? "")));
    if (!same) return false;
    if (ours.length < 2 * SCORES_AT_ONCE) return true;
  }
}

/** Members stand at even places, scores at odd ones. */
function sameEntry(place: number, ours: string, theirs: string): boolean {
  return ours === theirs || (place % 2 === 1 && Number(ours) === Number(theirs));
}

async function digests({ client }: EngineControl, keys: readonly Uint8Array[]): Promise<readonly string[]> {
  return listOf(await client.call("DEBUG", "DIGEST-VALUE", ...keys)).map(textOf);
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString("latin1");
}
