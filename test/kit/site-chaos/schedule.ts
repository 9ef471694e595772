import { seededDice, type Dice } from "../world/chaos.ts";

/** Sites by their numbers. */
export const SITES = [1, 2, 3] as const;
export type SiteId = (typeof SITES)[number];

/** What happens to the sites of a database while clients write at all of them. */
export type Act =
  /** A site reaches no other one, or one that is named, until the act ends. */
  | { readonly kind: "cut"; readonly site: SiteId; readonly from?: SiteId; readonly forMs: number }
  /** SIGKILL; the link is started again, the replica of an engine takes over. */
  | { readonly kind: "kill"; readonly part: "link" | "primary" | "node"; readonly site: SiteId }
  /** SIGKILL of the engine, which is started again from its disk: its stream is another one, and the link goes on with the append-only file. */
  | { readonly kind: "restart"; readonly site: SiteId }
  /** As `restart`, with the link, and what was written in the time before is not on the disk, though it was acknowledged. */
  | { readonly kind: "power"; readonly site: SiteId; readonly lostMs: number }
  /** The engine is full for a moment, and evicts some of what expires soonest. */
  | { readonly kind: "evict"; readonly site: SiteId }
  /** The replica becomes the primary, as planned. */
  | { readonly kind: "switchover"; readonly site: SiteId }
  /** The database of the site moves to the later engine. */
  | { readonly kind: "upgrade"; readonly site: SiteId };

export interface ScheduledAct {
  readonly fromMs: number;
  readonly act: Act;
}

/** What one seed plays. */
export interface SiteSchedule {
  readonly seed: number;
  /** The engine that each site begins with, and the one that it is upgraded to. */
  readonly engines: readonly (readonly [string, string])[];
  /** From each site to each other one, one way; the same back. */
  readonly latencyMs: Readonly<Record<string, number>>;
  readonly acts: readonly ScheduledAct[];
  /** Clients write for so long at least, and until the last act has ended. */
  readonly lengthMs: number;
}

/** How long seeds are: in CI and in a soak, and in a long one. */
export const LENGTHS = { short: 1_500, long: 12_000 } as const;
export type Length = keyof typeof LENGTHS;

const NEAR_MS = 20;
const FAR_MS = 80;
/** Three engines at a time, each with one that it may be followed by; where there is none it is replaced by one of its own version. */
const ENGINES: readonly (readonly (readonly [string, string])[])[] = [
  [
    ["redis-7.0.15", "redis-8.0.2"],
    ["redis-8.0.2", "redis-8.0.2"],
    ["valkey-8.1.1", "valkey-8.1.1"],
  ],
  [
    ["redis-7.0.15", "valkey-8.1.1"],
    ["redis-8.0.2", "redis-8.0.2"],
    ["valkey-8.0.1", "valkey-8.1.1"],
  ],
];
/** Dice of their own, so that a seed keeps its other acts. */
const RESTARTS = 1_000_003;
const POWER = 2_000_003;
/** One fault for so many milliseconds, about. */
const FAULT_EVERY_MS = 300;

/** What a seed is played with. */
export interface SeedKind {
  readonly length: Length;
  /** Half of the seeds cut the power of a site, too. */
  readonly power: boolean;
}

/** The same for the same seed and kind: each site is upgraded, one after the other, while links are cut and processes killed. */
export function siteScheduleOf(seed: number, { length, power }: SeedKind): SiteSchedule {
  const dice = seededDice(seed);
  const lengthMs = LENGTHS[length];
  const upgrades = shuffled(dice, SITES).map((site, index): ScheduledAct => {
    const fromMs = between(dice, 0, lengthMs / 6) + (index * lengthMs) / SITES.length;
    return { fromMs, act: { kind: "upgrade", site } };
  });
  const count = 2 + Math.floor((dice() * 2 * lengthMs) / FAULT_EVERY_MS);
  const faults = Array.from({ length: count }, () => ({ fromMs: between(dice, 0, lengthMs), act: faultOf(dice) }));
  return {
    seed,
    lengthMs,
    engines: shuffled(dice, pick(dice, ENGINES)),
    latencyMs: Object.fromEntries(
      shuffled(dice, ["1 2", "1 3", "2 3"]).map((pair, index) => [
        pair,
        index === 0 ? NEAR_MS : index === 1 ? FAR_MS : pick(dice, [NEAR_MS, FAR_MS]),
      ]),
    ),
    acts: [...upgrades, ...faults, ...restartsOf(seed, lengthMs), ...powerOf(seed, lengthMs, power)].toSorted(
      (a, b) => a.fromMs - b.fromMs,
    ),
  };
}

/** One site, or two, for most seeds. */
function restartsOf(seed: number, lengthMs: number): readonly ScheduledAct[] {
  const dice = seededDice(seed + RESTARTS);
  const sites = shuffled(dice, SITES).slice(0, Math.floor(dice() * SITES.length));
  return sites.map((site) => ({ fromMs: between(dice, 0, lengthMs), act: { kind: "restart", site } }));
}

/** A power cut for every other seed, where they are wanted, of several sites at once in half of these; and evictions at some sites. */
function powerOf(seed: number, lengthMs: number, power: boolean): readonly ScheduledAct[] {
  const dice = seededDice(seed + POWER);
  const cut = { kind: "power" as const, site: pick(dice, SITES), lostMs: between(dice, 50, 900) };
  const isCut = dice() < 0.5 && power;
  const fromMs = isCut ? between(dice, 0, lengthMs) : 0;
  const evictions = shuffled(dice, SITES)
    .slice(0, Math.floor(dice() * SITES.length))
    .map((site): ScheduledAct => ({ fromMs: between(dice, lengthMs / 2, lengthMs), act: { kind: "evict", site } }));
  // drawn last, so that a seed keeps its other acts
  const also = dice() < 0.5 ? shuffled(dice, SITES).slice(0, 2) : [];
  const sites = SITES.filter((site) => site === cut.site || also.includes(site));
  const cuts = sites.map((site): ScheduledAct => ({ fromMs, act: { ...cut, site } }));
  return [...(isCut ? cuts : []), ...evictions];
}

/** One way between two sites. */
export function latencyBetween({ latencyMs }: SiteSchedule, a: number, b: number): number {
  return latencyMs[`${Math.min(a, b)} ${Math.max(a, b)}`] ?? NEAR_MS;
}

function faultOf(dice: Dice): Act {
  const site = pick(dice, SITES);
  switch (pick(dice, ["cut", "cut", "part", "link", "link", "primary", "node", "switchover"] as const)) {
    case "cut":
      return { kind: "cut", site, forMs: between(dice, 50, 1_000) };
    case "part":
      return {
        kind: "cut",
        site,
        from: pick(
          dice,
          SITES.filter((other) => other !== site),
        ),
        forMs: between(dice, 50, 2_500),
      };
    case "link":
      return { kind: "kill", part: "link", site };
    case "primary":
      return { kind: "kill", part: "primary", site };
    case "node":
      return { kind: "kill", part: "node", site };
    case "switchover":
      return { kind: "switchover", site };
  }
}

function shuffled<T>(dice: Dice, all: readonly T[]): readonly T[] {
  return all
    .map((one) => [dice(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}

function between(dice: Dice, least: number, most: number): number {
  return Math.round(least + dice() * (most - least));
}

function pick<T>(dice: Dice, of: readonly T[]): T {
  const found = of[Math.floor(dice() * of.length)];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
}
