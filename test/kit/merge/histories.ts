import { MergedState } from "../../../src/core/merge/state/merged-state.ts";
import type { Effect, KeyType, Operation } from "../../../src/core/merge/operations/operation.ts";
import { decodeSummary, encodeSummary, type Summary } from "../../../src/core/merge/summary/summary.ts";
import { BEGINNING, laterOf, nextTimestamp, type Timestamp } from "../../../src/core/merge/operations/timestamp.ts";
import {
  NOTHING,
  coversAll,
  withDot,
  pairsOf,
  seqOf,
  union,
  type VersionVector,
} from "../../../src/core/merge/operations/version-vector.ts";
import type { Dice } from "../world/chaos.ts";

/** What a site has received, with its operations in the order in which they came. */
export interface Knowledge {
  readonly received: VersionVector;
  readonly operations: readonly Operation[];
}

const ORIGINS = [1, 2, 3];
const STEPS = 30;
/** Clocks of sites differ from the true time by up to this, in milliseconds. */
const SKEW_MS = 300_000;

interface Writer {
  readonly origin: number;
  readonly skew: number;
  clock: Timestamp;
  received: VersionVector;
  operations: readonly Operation[];
}

/** What three sites know after random writes of every type, and random deliveries, with clocks that are wrong. */
export function randomHistory(dice: Dice): readonly Knowledge[] {
  const writers = ORIGINS.map((origin): Writer => {
    return {
      origin,
      skew: Math.round((2 * dice() - 1) * SKEW_MS),
      clock: BEGINNING,
      received: NOTHING,
      operations: [],
    };
  });
  const hasFlushes = dice() < 0.3;
  for (let step = 0; step < STEPS; step += 1) {
    const writer = pick(dice, writers);
    if (dice() < 0.6) write(writer, 1_000_000 + step, dice, hasFlushes);
    else deliver(writer, pick(dice, writers), dice);
  }
  return writers;
}

/** Every operation that a site knows of, each once. */
export function allOperations(sites: readonly Knowledge[]): readonly Operation[] {
  const named = sites.flatMap(({ operations }) =>
    operations.map((each) => [`${each.dot.origin}:${each.dot.seq}`, each] as const),
  );
  return [...new Map(named).values()];
}

/** The same operations in another order, in which each follows all that it had seen. */
export function anotherOrder(operations: readonly Operation[], dice: Dice): readonly Operation[] {
  const left = [...operations];
  const order: Operation[] = [];
  for (let received = NOTHING; left.length > 0;) {
    const next = pick(
      dice,
      left.filter(({ seen }) => coversAll(received, seen)),
    );
    left.splice(left.indexOf(next), 1);
    order.push(next);
    received = withDot(received, next.dot);
  }
  return order;
}

/** What a site knows after these operations, in this order. */
export function stateAfter(operations: readonly Operation[]): MergedState {
  const state = new MergedState([], NOTHING);
  for (const operation of operations) state.take(operation);
  return state;
}

/** What it makes engines hold: the commands that write each key, in no order. */
export function shown(state: MergedState): readonly string[] {
  const commands = state
    .all()
    .flatMap(({ key }) => state.repair(key, "all").commands.map((command) => command.join(" ")));
  return [...commands, `flushes ${JSON.stringify([...pairsOf(state.flushes)])}`].toSorted();
}

/** What two sites know together, by the summary of the second one. */
export function joined(a: SiteState, b: SiteState): SiteState {
  const own = copyOf(a);
  const state = new MergedState(own.keys, own.flushes);
  state.join(copyOf(b), a.received);
  return { received: union(a.received, b.received), state };
}

/** What a site knows, and which operations are in it. */
export interface SiteState {
  readonly received: VersionVector;
  readonly state: MergedState;
}

function copyOf({ received, state }: SiteState): Summary {
  const summary = { received, clock: BEGINNING, seenBy: [], flushes: state.flushes, keys: state.all(), isLast: true };
  return decodeSummary(encodeSummary(summary));
}

function write(writer: Writer, now: number, dice: Dice, hasFlushes: boolean): void {
  const { origin, received, skew } = writer;
  const at = nextTimestamp(writer.clock, now + skew, origin);
  const effects = hasFlushes && dice() < 0.1 ? [{ kind: "flush" } as const] : [effectOf(dice)];
  take(writer, { dot: { origin, seq: seqOf(received, origin) + 1 }, at, seen: received, effects });
}

/** Some of what the other one knows, in its order. */
function deliver(to: Writer, from: Writer, dice: Dice): void {
  const missing = from.operations.filter(({ dot }) => dot.seq > seqOf(to.received, dot.origin));
  for (const operation of missing.slice(0, Math.ceil(dice() * missing.length))) take(to, operation);
}

function take(writer: Writer, operation: Operation): void {
  writer.received = withDot(writer.received, operation.dot);
  writer.clock = laterOf(writer.clock, operation.at);
  writer.operations = [...writer.operations, operation];
}

/** Few keys and elements, so that operations meet; keys get every type. */
function effectOf(dice: Dice): Effect {
  const key = pick(dice, ["a", "b"]);
  const type = pick<KeyType>(dice, ["string", "list", "hash", "set", "zset"]);
  const isWhole = type === "string" || type === "list";
  const element = isWhole ? "" : pick(dice, ["m", "n"]);
  const number = 1 + Math.floor(dice() * 99);
  const value = type === "list" ? [String(number), "x"] : type === "set" ? "" : String(number);
  const counts = type === "string" || type === "hash" || type === "zset";
  const put: Effect = { kind: "put", type, key, element, value };
  const add: Effect = counts ? { kind: "add", type, key, element, amount: BigInt(number) } : put;
  const remove: Effect = isWhole ? { kind: "clear", key } : { kind: "remove", type, key, element };
  const expire: Effect = { kind: "expire", key, at: dice() < 0.3 ? undefined : 9_000_000_000_000 + number };
  const whole: readonly Effect[] = [
    { kind: "clear", key },
    { kind: "emptied", key },
  ];
  return pick(dice, [put, put, add, add, remove, expire, ...whole]);
}

function pick<T>(dice: Dice, of: readonly T[]): T {
  const found = of[Math.floor(dice() * of.length)];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
}
