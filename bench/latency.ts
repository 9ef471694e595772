// How long one client waits, alone and beside another one with a deep pipeline, on each way side by side:
// `npm run bench:latency -- [--ways direct,ours] [--deep 10000] [--rounds 3] [--json latency.json]`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { engineNames, startEngine } from "../test/kit/engines/engine.ts";
import { commandLine, namesOf } from "./command-line.ts";
import { figureOf } from "./proxy/figures.ts";
import type { Figure } from "./proxy/figures.ts";
import { loadTool, measure } from "./proxy/load.ts";
import type { Sample } from "./proxy/load.ts";
import { freeAddress } from "./proxy/others.ts";
import { startWays, WAYS } from "./proxy/ways.ts";
import type { Way } from "./proxy/way.ts";

const { options } = commandLine({
  /** Not twemproxy: beside a deep pipeline it hardly answers another client. */
  ways: "direct,ours,haproxy",
  /** Requests that the other client sends before it reads a reply. */
  deep: 10_000,
  rounds: 3,
  /** As of `bench:proxy`. */
  share: 1,
  before: [],
  also: [],
  json: "latency.json",
});
const { rounds, share } = options;
const ways = namesOf("ways", options.ways, WAYS);
const WARM_MS = 300;

await using engine = await startEngine({
  engine: process.env.ENGINE ?? engineNames().at(-1),
  ...(await freeAddress()),
});
await using served = await startWays(engine, ways, options);
const samples = new Map(served.ways.map(({ name }) => [name, { alone: [] as Sample[], beside: [] as Sample[] }]));
for (let round = 1; round <= rounds; round++)
  for (const way of served.ways) {
    console.log(`round ${round} of ${rounds}: ${way.name}`);
    samples.get(way.name)?.alone.push(await measureOne(way));
    samples.get(way.name)?.beside.push(await besideDeep(way));
  }
const figures = [...samples].map(([name, { alone, beside }]) => ({
  alone: figureOf(name, alone),
  beside: figureOf(name, beside),
}));
console.log(`\n${engine.name}, GET of one client in ms, median of ${rounds} rounds; beside: another client has`);
console.log(`${options.deep} requests under way at any time\n`);
console.log(line("way", ["p50", "added", "p99", "beside: p50", "p99"]));
const direct = figures.find(({ alone }) => alone.way === "direct")?.alone;
for (const { alone, beside } of figures)
  console.log(
    line(alone.way, [ms(alone.p50), ms(alone.p50 - (direct?.p50 ?? Number.NaN)), ms(alone.p99), ...of(beside)]),
  );
writeFileSync(options.json, `${JSON.stringify({ engine: engine.name, rounds, figures }, undefined, 2)}\n`);

function measureOne(way: Way): Promise<Sample> {
  return measure(way, { clients: 1, pipeline: 1, bytes: 64 }, share);
}

async function besideDeep(way: Way): Promise<Sample> {
  const { host, port } = way.address;
  const target = ["-h", host, "-p", String(port)];
  const other = spawn(loadTool(), [...target, "-t", "get", "-l", "-q", "-c", "1", "-P", String(options.deep)], {
    stdio: "ignore",
  });
  try {
    await sleep(WARM_MS);
    return await measureOne(way);
  } finally {
    other.kill("SIGKILL");
    await once(other, "exit");
  }
}

function of({ p50, p99 }: Figure): readonly string[] {
  return [ms(p50), ms(p99)];
}

function ms(value: number): string {
  return value.toFixed(3);
}

function line(name: string, cells: readonly string[]): string {
  return name.padEnd(14) + cells.map((cell) => cell.padStart(13)).join("");
}
