import { Fault } from "#kit/base/fault";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import type { EngineControl } from "./engines.ts";
import { countCommandOf, sizesOf } from "./key-sizes.ts";
import type { KeySize } from "./key-sizes.ts";
import { settle } from "./settle.ts";
import type { SettledKey, KeyVerdict, VerifyPair } from "./settle.ts";
import { hasSlices, isReadByPlace, readerOf, slicesOf } from "./slices.ts";
import type { SlicedKey } from "./slices.ts";

export interface VerifiedKey {
  readonly key: Uint8Array;
  readonly verdict: KeyVerdict | "expired";
}

/** What a comparison has read of large values, and may still read. */
export interface LargeValues {
  /** Elements that may still be read; what is over that is compared by its size alone. */
  left: number;
  /** In milliseconds of the clock: what is read later is over the budget too. */
  readonly untilMs: number;
  /** Some value was not compared whole. */
  isShort: boolean;
  /**
   * Keys of which one walk has found every element at the other side. When both sides have the same number of elements, neither has one too
   * many, and the walk over the other side does not read them again.
   */
  readonly included: Set<string>;
}

/**
 * Compares keys of the selected database that `walked` has. Their sizes are asked first: digests are taken of small values, a few at once,
 * and large ones are compared part by part, so that no question keeps an engine from its clients.
 */
export async function compareKeys(
  pair: VerifyPair,
  walked: EngineControl,
  keys: readonly Uint8Array[],
  large: LargeValues,
): Promise<readonly VerifiedKey[]> {
  const ours = await sizesOf(pair.primary, keys, pair.pace);
  const theirs = await sizesOf(pair.replica, keys, pair.pace);
  const sized = keys.map((key, i) => ({ key, ...largerOf(ours[i] ?? GONE, theirs[i] ?? GONE) }));
  const compared: VerifiedKey[] = [];
  for (const group of groupsOf(sized.filter(isSmall)))
    for (const each of await compareSmall(pair, walked, group, large)) compared.push(each);
  for (const sliced of sized.filter((one) => !isSmall(one)))
    compared.push({ key: sliced.key, verdict: await compareLarge(pair, walked, sliced, large) });
  return compared;
}

const GONE: KeySize = { type: "none", elements: 0, bytes: 0 };
/** Digest of a key that is not there. */
const ABSENT = "0".repeat(40);

/** No digest is asked for a value of more elements. */
const SMALL_ELEMENTS = 500;
const SMALL_BYTES = 64 * 1024;
/** What an engine takes for a digest, measured with the slowest type on a slow machine, in microseconds. */
const ELEMENT_US = 3;
const BYTE_US = 0.005;
/** How long an engine may take for one question, in microseconds. */
const QUESTION_US = 4_000;

function isSmall({ elements, bytes }: KeySize): boolean {
  return elements <= SMALL_ELEMENTS && bytes <= SMALL_BYTES;
}

function largerOf(one: KeySize, other: KeySize): KeySize {
  const { type } = one.type === "none" ? other : one;
  return {
    type,
    elements: Math.max(one.elements, other.elements),
    bytes: Math.max(one.bytes, other.bytes),
  };
}

function* groupsOf(keys: readonly SlicedKey[]): Generator<readonly SlicedKey[]> {
  let group: SlicedKey[] = [];
  let cost = 0;
  for (const one of keys) {
    const own = (1 + one.elements) * ELEMENT_US + one.bytes * BYTE_US;
    if (group.length > 0 && cost + own > QUESTION_US) {
      yield group;
      [group, cost] = [[], 0];
    }
    group.push(one);
    cost += own;
  }
  if (group.length > 0) yield group;
}

async function compareSmall(
  pair: VerifyPair,
  walked: EngineControl,
  group: readonly SlicedKey[],
  large: LargeValues,
): Promise<readonly VerifiedKey[]> {
  const settled = await settle(pair, group, async ({ client }, some) =>
    listOf(await client.call("DEBUG", "DIGEST-VALUE", ...some.map(({ key }) => key))).map(textOf),
  );
  const compared: VerifiedKey[] = [];
  for (const [i, one] of group.entries()) {
    const { verdict, copy } = settled[i] ?? UNKNOWN;
    if (verdict === "equal") compared.push({ key: one.key, verdict: copy === ABSENT ? "expired" : "equal" });
    // digests are taken of the digits of a score, which differ between engines
    else if (one.type === "zset")
      compared.push({ key: one.key, verdict: await compareLarge(pair, walked, one, large) });
    else compared.push({ key: one.key, verdict });
  }
  return compared;
}

const UNKNOWN: SettledKey = { verdict: "changing", copy: "" };

/** Type, size and expiry first, then part by part as the engine that is walked over has them. */
async function compareLarge(
  pair: VerifyPair,
  walked: EngineControl,
  sliced: SlicedKey,
  large: LargeValues,
): Promise<KeyVerdict> {
  const found = new Set((await settle(pair, [sliced], readHead)).map(({ verdict }) => verdict));
  const name = Buffer.from(sliced.key).toString("latin1");
  if (found.has("different")) return "different";
  if (!found.has("changing") && large.included.has(name)) return "equal";
  const isWhole = hasSlices(sliced.type) && (await compareSlices(pair, walked, sliced, { large, found }));
  if (!isWhole) large.isShort = true;
  if (found.has("different")) return "different";
  if (found.has("changing")) return "changing";
  if (isWhole) large.included.add(name);
  return "equal";
}

/** Adds to `found`, until something differs; false when the bound is reached, or the rest of the value moves under each comparison. */
async function compareSlices(
  pair: VerifyPair,
  walked: EngineControl,
  sliced: SlicedKey,
  { large, found }: { readonly large: LargeValues; readonly found: Set<KeyVerdict> },
): Promise<boolean> {
  let movingParts = 0;
  for await (const slice of slicesOf(walked, sliced, pair.pace)) {
    if (large.left <= 0 || pair.pace.nowMs() > large.untilMs || movingParts >= MOVING_PARTS) return false;
    large.left -= slice.length;
    const verdicts = (await settle(pair, slice, readerOf(sliced))).map(({ verdict }) => verdict);
    for (const verdict of verdicts) found.add(verdict);
    if (found.has("different")) return true;
    movingParts = isReadByPlace(sliced.type) && verdicts.includes("changing") ? movingParts + 1 : 0;
  }
  return true;
}

/** Parts in a row that changed under each comparison: clients push or pop at the beginning, and all that is behind moves with it. */
const MOVING_PARTS = 3;

/** Type, size and expiry of keys, as text. */
async function readHead({ client }: EngineControl, keys: readonly SlicedKey[]): Promise<readonly string[]> {
  const heads: string[] = [];
  for (const { key, type } of keys) {
    const outcomes = await client.callAll(
      [
        ["TYPE", key],
        [countCommandOf(type), key],
        ["PEXPIRETIME", key],
      ],
      "utf8",
    );
    const [found, count, expiry] = outcomes.map((outcome) =>
      outcome instanceof Fault ? outcome.message : String(outcome),
    );
    heads.push([found, count, expiry === "-1" ? "stays" : "expires"].join(" "));
  }
  return heads;
}
