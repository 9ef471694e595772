import { setTimeout as sleep } from "node:timers/promises";
import type { Company, Stage } from "../company.ts";
import type { Line } from "../line.ts";
import type { Member } from "../member.ts";
import { judgeListening } from "./listened.ts";
import { WAYS, type Way } from "./ways.ts";

/** Two members publish, each other member subscribes in another way: to a channel, a pattern, or a channel of a shard. */
export const LISTENING: Company = {
  name: "listening",
  size: 5,
  play,
  judge: judgeListening,
};

const PUBLISHERS = 2;
const PUBLISHES_EVERY_MS = 20;
const ANEW_AFTER_MS = 1_500;

/** The last message of a tale: where nothing fails, who subscribes waits for it. */
function lastOf(command: string): string {
  return `last ${command}-1`;
}

async function play(stage: Stage): Promise<void> {
  const publishers = stage.members.slice(0, PUBLISHERS);
  const listening = stage.members.slice(PUBLISHERS).map((one, at) => listen(stage, one, WAYS[at] ?? WAYS[0]));
  await Promise.all(publishers.map((one) => publish(stage, one)));
  const ends = await Promise.all(listening);
  for (const { publish: command, channel } of [WAYS[0], WAYS[2]])
    await publishers[0]?.ask(command, channel(stage.name), lastOf(command));
  await Promise.all(ends.map((end) => end()));
}

async function publish({ name, isOver }: Stage, publisher: Member): Promise<void> {
  for (let number = 1; !isOver(); number += 1) {
    const way = WAYS[Math.floor(publisher.dice() * WAYS.length)] ?? WAYS[0];
    await publisher.ask(way.publish, way.channel(name), `${publisher.name}-${number}`);
    await sleep(publisher.dice() * PUBLISHES_EVERY_MS);
  }
}

/** Subscribes on each connection that it gets, and now and then anew, until the tale is over; what it resolves to ends the last subscription. */
async function listen({ name, isOver }: Stage, subscriber: Member, way: Way): Promise<() => Promise<void>> {
  for (;;) {
    const line = await subscriber.line();
    if (line === undefined) return async () => undefined;
    const { kind } = await line.ask(way.subscribe, way.subscription(name));
    if (kind !== "reply") continue;
    const last = line.pushed((values) => values.at(-1) === lastOf(way.publish));
    await Promise.race([last, sleep(subscriber.dice() * ANEW_AFTER_MS)]);
    if (isOver()) return () => leave(line, way, subscriber.isCalm ? last : undefined);
    await line.ask(way.unsubscribe, way.subscription(name));
  }

  async function leave(line: Line, { unsubscribe, subscription }: Way, last: Promise<void> | undefined): Promise<void> {
    await last;
    await line.ask(unsubscribe, subscription(name));
  }
}
