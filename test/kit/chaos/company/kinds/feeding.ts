import { setTimeout as sleep } from "node:timers/promises";
import type { Company, Stage } from "../company.ts";
import type { Member } from "../member.ts";
import { judgeFeeding } from "./fed.ts";
import { QUEUES, type Queue } from "./queues.ts";

/** One member feeds a queue at which the others wait: a list, a sorted set, or a consumer group. */
export const FEEDING: Company = {
  name: "feeding",
  size: 3,
  play,
  judge: judgeFeeding,
};

const LONGEST_PAUSE_MS = 120;

async function play(stage: Stage): Promise<void> {
  const [feeder, ...takers] = stage.members;
  if (feeder === undefined) return;
  const kinds = Object.values(QUEUES);
  const queue = kinds[Math.floor(feeder.dice() * kinds.length)] ?? QUEUES.list;
  for (const command of queue.begin(stage.name)) {
    const { kind } = await feeder.ask(...command);
    // where something fails there may be no group
    if (kind !== "reply") return;
  }
  await Promise.all([feed(stage, feeder, queue), ...takers.map((taker) => take(stage, taker, queue))]);
  await feeder.ask(...queue.rest(stage.name));
}

async function feed({ name, isOver }: Stage, feeder: Member, queue: Queue): Promise<void> {
  for (let fed = 1; !isOver(); fed += 1) {
    await feeder.ask(...queue.feed(name, String(fed)));
    // most pops wait then
    await sleep(feeder.dice() * LONGEST_PAUSE_MS);
  }
}

async function take({ name, isOver }: Stage, taker: Member, queue: Queue): Promise<void> {
  while (!isOver()) await taker.ask(...queue.take(name, taker.name));
}
