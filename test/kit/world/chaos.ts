import { setTimeout as sleep } from "node:timers/promises";
import { clusterNames } from "../../../src/core/api/names.ts";
import type { DatabaseRecord, InstanceRecord } from "../../../src/core/api/records.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { ConfigMaps, Leases } from "#kit/kube/builtin";
import type { WorldProcess } from "./processes.ts";
import type { StoryWorld } from "./story-world.ts";

/** Whom a blow is meant for; the last two cost the primary. An agent's end is the end of its node. */
export const VICTIMS = [
  "operator",
  "leader",
  "agent",
  "proxy",
  "rigger",
  "replica",
  "primary",
  "primary node",
] as const;
export type Victim = (typeof VICTIMS)[number];

/** Numbers from 0 to 1, the same for the same seed. */
export type Dice = () => number;

export interface Chaos {
  /** What has been killed so far, in order. */
  readonly blows: readonly string[];
  /** Victims that were killed at least once. */
  readonly struck: ReadonlySet<Victim>;
  /** No blow begins after this resolves. */
  stop(): Promise<void>;
}

export interface ChaosOptions {
  readonly dice: Dice;
  readonly victims: readonly Victim[];
  /** Between two blows, in milliseconds. */
  readonly pauseMs: { readonly least: number; readonly most: number };
  /** After so many it ends, so that the scenario can end too. */
  readonly most: number;
  /** SIGKILL when absent. */
  readonly signal?: NodeJS.Signals;
  /** Called right after each blow. */
  readonly onBlow?: (blow: string, target: WorldProcess) => void;
}

/** Kills one victim after the other in shuffled order, each as often as the others, until it is stopped. */
export function unleash(play: StoryWorld, options: ChaosOptions): Chaos {
  const { dice, victims, pauseMs, most, signal = "SIGKILL", onBlow } = options;
  const began = performance.now();
  const blows: string[] = [];
  const struck = new Set<Victim>();
  const stopping = new AbortController();
  let round: Victim[] = [];
  const running = (async () => {
    while (!stopping.signal.aborted && blows.length < most) {
      const pause = pauseMs.least + dice() * (pauseMs.most - pauseMs.least);
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined); // stopped: the loop looks
      if (stopping.signal.aborted) return;
      if (round.length === 0) round = shuffled(victims, dice);
      for (const victim of round) {
        const target = await find(play, victim, dice);
        // no process of the kind at this moment: its turn comes later
        if (target === undefined || !isHit(target, signal)) continue;
        const at = ((performance.now() - began) / 1000).toFixed(1);
        const blow = `${at} s: ${victim} (${target.pod || target.command.slice(-40)})`;
        blows.push(blow);
        onBlow?.(blow, target);
        struck.add(victim);
        round = round.filter((other) => other !== victim);
        break;
      }
    }
  })();
  return {
    blows,
    struck,
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** The same numbers for the same seed (mulberry32). */
export function seededDice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The record of the story's database as it is stored now. */
export async function storedRecord({ stage }: Pick<StoryWorld, "stage">): Promise<DatabaseRecord> {
  const ref = { namespace: DEMO.namespace, name: clusterNames.databaseRecord(DEMO.cluster, 1) };
  const found = await stage.kube.get(ConfigMaps, ref);
  return JSON.parse(found?.data?.["record"] ?? "{}") as DatabaseRecord;
}

/** The process of a victim. Where the primary is, or is about to be, is looked up last: it moves. */
async function find(play: StoryWorld, victim: Victim, dice: Dice): Promise<WorldProcess | undefined> {
  const processes = await play.processes();
  const lease = { namespace: DEMO.namespace, name: clusterNames.leaderLease(DEMO.cluster) };
  const leader = (await play.stage.kube.get(Leases, lease))?.spec?.holderIdentity ?? "";
  const record = await storedRecord(play);
  const shard = record.shards[0];
  if (shard === undefined) return undefined;
  const program = (name: string): readonly WorldProcess[] =>
    processes.filter(({ command }) => new RegExp(`store\\.[jt]s ${name}$`).test(command));
  const podOf = ({ node }: InstanceRecord): string => clusterNames.nodePod(DEMO.cluster, node);
  const agents = program("agent");
  const engineOf = (instance: InstanceRecord): readonly WorldProcess[] => {
    const ofNode = [...agents, ...program("starter")].filter(({ pod }) => pod === podOf(instance));
    const parents = ofNode.map(({ pid }) => pid);
    return processes.filter(({ parent, command }) => parents.includes(parent) && command.includes(`:${instance.port}`));
  };
  const primary = shard.instances.filter(({ id }) => id === shard.primary);
  const serving = shard.instances.filter(({ id }) => id === shard.primary || id === shard.switchover?.to);
  const replicas = shard.instances.filter((instance) => !serving.includes(instance));
  const spared = agents.filter(({ pod }) => !serving.map(podOf).includes(pod));
  switch (victim) {
    case "operator":
    case "proxy":
    case "rigger":
      return oneOf(program(victim), dice);
    case "leader":
      return spared.find(({ pod }) => pod === leader);
    case "agent":
      return oneOf(
        spared.filter(({ pod }) => pod !== leader),
        dice,
      );
    case "replica":
      return oneOf(replicas.flatMap(engineOf), dice);
    case "primary":
      return oneOf(primary.flatMap(engineOf), dice);
    case "primary node":
      return agents.find(({ pod }) => primary.map(podOf).includes(pod));
  }
}

/** False when it has ended since it was looked up. */
function isHit({ pid }: WorldProcess, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

function shuffled<T>(all: readonly T[], dice: Dice): T[] {
  return all
    .map((one) => ({ one, place: dice() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

function oneOf<T>(all: readonly T[], dice: Dice): T | undefined {
  return all[Math.floor(dice() * all.length)];
}
