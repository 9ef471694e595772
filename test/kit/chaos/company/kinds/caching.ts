import type { Company, Stage } from "../company.ts";
import type { Line } from "../line.ts";
import type { Member } from "../member.ts";
import { judgeCaching } from "./cached.ts";

/** One member keeps what it has read (`CLIENT TRACKING`), by key or by prefix; the others write the same keys. */
export const CACHING: Company = {
  name: "caching",
  size: 3,
  play,
  judge: judgeCaching,
};

const KEYS = 4;

async function play(stage: Stage): Promise<void> {
  const [cacher, ...writers] = stage.members;
  if (cacher === undefined) return;
  await Promise.all([read(stage, cacher), ...writers.map((writer) => write(stage, writer))]);
}

async function write({ name, isOver }: Stage, writer: Member): Promise<void> {
  for (let number = 1; !isOver(); number += 1) await writer.ask("SET", keyOf(name, writer), `${writer.name}-${number}`);
}

async function read({ name, isOver, hasShards }: Stage, cacher: Member): Promise<void> {
  const isByPrefix = cacher.dice() < 0.3;
  // what several shards say of prefixes has no order with replies
  const how = isByPrefix && !hasShards ? ["BCAST", "PREFIX", `{${name}}:`] : [];
  let tracked = "";
  while (!isOver()) {
    const line = await cacher.line();
    if (line === undefined) return;
    if (line.connection !== tracked && (await tracks(line, how))) tracked = line.connection;
    if (line.connection === tracked) await line.ask("GET", keyOf(name, cacher));
  }
}

/** The tale before may have tracked in another way on this connection, which has to end first: a request to end it may be refused. */
async function tracks(line: Line, how: readonly string[]): Promise<boolean> {
  for (const request of [["OFF"], ["ON", ...how]])
    if ((await line.ask("CLIENT", "TRACKING", ...request)).kind !== "reply") return false;
  return true;
}

/** One slot: replies of another shard have no order with what becomes invalid. */
function keyOf(name: string, { dice }: Member): string {
  return `{${name}}:${Math.floor(dice() * KEYS)}`;
}
