import { seededDice, type Dice } from "../world/chaos.ts";
import { EVICTION_POLICIES, type EvictionPolicy } from "./stories/memory.ts";

/** A node, or the one that has the primary or a replica of a shard of the database when the fault begins. */
export type Place = 1 | 2 | 3 | "primary" | "replica";
/** A node or a process of it; the whole node is its agent, proxy and engines. */
export type Part = "engine" | "proxy" | "agent" | "node";

/** Something ordinary that goes wrong. */
export type Fault =
  /** SIGKILL. A node starts again when the fault ends; what else was killed, its node starts again. */
  | { readonly kind: "kill"; readonly part: Exclude<Part, "agent">; readonly at: Place }
  /** SIGSTOP, then SIGCONT. */
  | { readonly kind: "freeze"; readonly part: Part; readonly at: Place }
  /** No packet, or only refusals, between two nodes. */
  | { readonly kind: "cut"; readonly pair: readonly [number, number]; readonly how: "drop" | "reject" }
  /** These nodes do not reach the Kubernetes API. */
  | { readonly kind: "api"; readonly nodes: readonly number[]; readonly how: "drop" | "reject" }
  /** Nothing more fits on the volume of the node. */
  | { readonly kind: "full"; readonly at: Place }
  /** Each write to a file, and each fsync, takes so much longer. */
  | { readonly kind: "slow"; readonly at: Place; readonly delayMs: number }
  /** The date of the node is set. */
  | { readonly kind: "clock"; readonly at: Place; readonly byMinutes: number };

/** A move that a user asks for. */
export type Move =
  /** The node goes into maintenance; it is taken back when the move ends. */
  | { readonly kind: "evacuate"; readonly at: Place }
  /** Both databases with clients go to their next version; nothing when they have the last one. */
  | { readonly kind: "upgrade" };

/** What happens from `fromMs` on, for `forMs`; both in milliseconds from the beginning. */
export interface Scheduled<T> {
  readonly fromMs: number;
  readonly forMs: number;
  readonly what: T;
  /** From 0 to 1: whose primary or replica a place is, among the shards of the database in their order. */
  readonly share: number;
}

type Timed<T> = Omit<Scheduled<T>, "share">;

/** What one seed plays. Every operation has to fit into one order: without faults always, with one fault where replies wait for replicas. */
export interface Schedule {
  readonly seed: number;
  readonly faults: readonly Scheduled<Fault>[];
  readonly moves: readonly Scheduled<Move>[];
  /** After this nothing begins, and everything has ended. */
  readonly lengthMs: number;
  /** What the database whose memory is full takes. */
  readonly eviction: EvictionPolicy;
  /** How many elements there are in collections. */
  readonly elements: number;
}

const PLACES: readonly Place[] = [1, 2, 3, "primary", "primary", "replica"];
const PAIRS = [
  [1, 2],
  [1, 3],
  [2, 3],
] as const;
/** Some faults are longer than every lease. */
const LENGTH_MS = 16_000;
/** How many faults a seed has at most, unless a run asks for another number. */
export const MOST_FAULTS = 6;
/** Each fourth seed has planned moves alone. */
const PLANNED_EVERY = 4;

/** Of the planned seeds a few have collections with many elements; a fault would end what a client knows of them. */
const FEW = 4_000;
const MANY: Readonly<Record<number, number>> = { 0: 100_000, 20: 1_000_000 };
const MANY_EVERY = 40;

/** The same for the same seed and the same `most`: up to so many faults, which may overlap, while moves run. */
export function scheduleOf(seed: number, most: number): Schedule {
  const dice = seededDice(seed);
  const isPlanned = seed % PLANNED_EVERY === 0;
  const count = isPlanned ? 0 : 1 + Math.floor(dice() * most);
  const faults = Array.from({ length: count }, () => within(dice, aFault(dice)));
  const moves: Timed<Move>[] = [];
  for (let fromMs = between(dice, 0, 3_000); fromMs < LENGTH_MS - 2_000; fromMs += between(dice, 2_000, 7_000)) {
    const what: Move = dice() < 0.3 ? { kind: "upgrade" } : { kind: "evacuate", at: pick(dice, PLACES) };
    moves.push({ fromMs, forMs: Math.min(between(dice, 1_000, 5_000), LENGTH_MS - fromMs), what });
  }
  const elements = isPlanned ? (MANY[seed % MANY_EVERY] ?? FEW) : FEW;
  const eviction = pick(dice, EVICTION_POLICIES);
  const inOrder = faults.toSorted((a, b) => a.fromMs - b.fromMs);
  // last: what a seed plays with one shard was known before there were several
  const placed = { faults: withShare(dice, inOrder), moves: withShare(dice, moves) };
  return { seed, ...placed, lengthMs: LENGTH_MS, eviction, elements };
}

/** One line of the schedule. */
export function textOf({ fromMs, forMs, what }: Scheduled<Fault | Move>): string {
  const { kind, ...rest } = what;
  return `${fromMs} ms, for ${forMs} ms: ${kind} ${JSON.stringify(rest)}`;
}

function aFault(dice: Dice): Fault {
  const at = pick(dice, PLACES);
  const how = pick(dice, ["drop", "reject"] as const);
  switch (pick(dice, ["kill", "kill", "freeze", "freeze", "cut", "cut", "api", "full", "slow", "clock"] as const)) {
    case "kill":
      return { kind: "kill", part: pick(dice, ["engine", "proxy", "node"] as const), at };
    case "freeze":
      return { kind: "freeze", part: pick(dice, ["engine", "proxy", "agent", "node"] as const), at };
    case "cut":
      return { kind: "cut", pair: pick(dice, PAIRS), how };
    case "api":
      return { kind: "api", nodes: pick(dice, [[1, 2, 3], [1], [2], [3], [1, 2]] as const), how };
    case "full":
      return { kind: "full", at };
    case "slow":
      return { kind: "slow", at, delayMs: between(dice, 5, 300) };
    case "clock":
      return { kind: "clock", at, byMinutes: pick(dice, [-10, -1, 1, 10] as const) };
  }
}

/** Some faults last a moment, some longer than each lease. */
function within(dice: Dice, what: Fault): Timed<Fault> {
  const fromMs = between(dice, 0, LENGTH_MS - 2_000);
  const forMs = dice() < 0.5 ? between(dice, 200, 3_000) : between(dice, 3_000, 12_000);
  return { fromMs, forMs: Math.min(forMs, LENGTH_MS - fromMs), what };
}

function withShare<T>(dice: Dice, all: readonly Timed<T>[]): readonly Scheduled<T>[] {
  return all.map((one) => ({ ...one, share: dice() }));
}

function between(dice: Dice, least: number, most: number): number {
  return Math.round(least + dice() * (most - least));
}

function pick<T>(dice: Dice, of: readonly [T, ...T[]] | readonly T[]): T {
  const found = of[Math.floor(dice() * of.length)];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
}
