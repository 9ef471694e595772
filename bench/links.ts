import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { startEngine, type TestEngine } from "../test/kit/engines/engine.ts";
import { startLinkedSites, type LinkedSites } from "../test/kit/links/linked-sites.ts";
import { until } from "#kit/testing/until";
import { commandLine } from "./command-line.ts";
import { processorSecondsOf } from "./kernel/processor-time.ts";

// What the link of a site costs its engine and its clients: the same writes at an engine alone, at one that clients send the writes of
// all three sites, and at three that are linked.

const { options } = commandLine({
  rate: 3000,
  seconds: 8,
  /** Gives engines and clients priority over the links, as where the links have free processors. Needs Linux, chrt and root. */
  first: false,
  /** Every second write of a set takes a member out. */
  removals: false,
});
const { rate: RATE, seconds: SECONDS } = options;
const KEYS = 10_000;
const TURN_MS = 5;
const SITES = 3;
const HEAD = "| | Writes | p50, ms | p99, ms | Engine, µs for each write of one site | Link, µs |";

interface Row {
  readonly what: string;
  readonly written: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the engine and of the link, in microseconds for each write of one site. */
  readonly engineMicros: number;
  readonly linkMicros: number;
}

process.stdout.write(
  `${RATE} writes/s at each site (SET, INCR, HSET, SADD${options.removals ? " and SREM" : ""} of ${KEYS} keys), ${SECONDS} s\n`,
);
putFirst(process.pid);
const alone = await measureAlone("an engine alone", 1);
const withAll = await measureAlone("an engine alone, with the writes of three sites", SITES);
const linked = await measureLinked();
process.stdout.write(`${HEAD}\n`);
for (const row of [alone, withAll, ...linked]) process.stdout.write(`${lineOf(row)}\n`);
process.exit(0);

async function measureAlone(what: string, writers: number): Promise<Row> {
  await using engine = await startEngine({ args: ["--save", ""] });
  putFirst(engine.pid);
  const before = processorMs(engine.pid);
  const times = await Promise.all(Array.from({ length: writers }, (_, site) => writeAt(engine, site)));
  return rowOf(what, times.flat(), (processorMs(engine.pid) - before) * writers, 0);
}

async function measureLinked(): Promise<readonly Row[]> {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), { withinMs: 30_000 });
  for (const { engine } of world.sites) putFirst(engine.pid);
  const cpu = () => world.sites.map(({ engine, link }) => [processorMs(engine.pid), processorMs(link.pid)] as const);
  const before = cpu();
  const times = await Promise.all(world.engines.map((engine, index) => writeAt(engine, index)));
  await until("all have all", () => haveAll(world), { withinMs: 60_000 });
  const after = cpu();
  return times.map((each, index) => {
    const [engine, link] = [0, 1].map((part) => (after[index]?.[part] ?? 0) - (before[index]?.[part] ?? 0));
    return rowOf(`site ${index + 1} of three (${world.engines[index]?.name})`, each, engine ?? 0, link ?? 0);
  });
}

function putFirst(pid: number): void {
  if (options.first) execFileSync("chrt", ["-a", "-R", "-r", "-p", "1", String(pid)]);
}

/** Every site keeps what every other one wrote: none of it is still to be paid for. */
async function haveAll({ sites }: LinkedSites): Promise<boolean> {
  const all = await Promise.all(sites.map(({ link }) => link.status()));
  return all.flat().every((database) => database.sites.every(({ unconfirmed }) => unconfirmed === 0));
}

/** Milliseconds that each write took. */
async function writeAt(engine: TestEngine, site: number): Promise<readonly number[]> {
  const client = await engine.connect();
  const times: number[] = [];
  const write = async (number: number): Promise<void> => {
    const removes = options.removals && number % 8 === 7;
    const of = removes ? number - 4 : number;
    const key = `${of % 4}:${(of * 7919 + site * 31) % KEYS}`;
    const value = "v".repeat(64);
    const commands = [
      ["SET", key, value],
      ["INCR", key],
      ["HSET", key, "field", value],
      [removes ? "SREM" : "SADD", key, String(of % 10)],
    ];
    const began = performance.now();
    await client.call(...(commands[number % 4] ?? []));
    times.push(performance.now() - began);
  };
  const began = performance.now();
  const all: Promise<void>[] = [];
  for (let number = 0; performance.now() - began < SECONDS * 1_000;) {
    const due = Math.floor(((performance.now() - began) / 1_000) * RATE);
    for (; number < due; number++) all.push(write(number));
    await sleep(TURN_MS);
  }
  await Promise.all(all);
  client.close();
  return times;
}

function rowOf(what: string, times: readonly number[], engineMs: number, linkMs: number): Row {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  const micros = (ms: number): number => (ms * 1_000) / times.length;
  return {
    what,
    written: times.length,
    p50: at(0.5),
    p99: at(0.99),
    engineMicros: micros(engineMs),
    linkMicros: micros(linkMs),
  };
}

/** In brackets: the ratio to an engine alone, and for the engine also to one that executes as many writes. */
function lineOf({ what, written, p50, p99, engineMicros, linkMicros }: Row): string {
  const times = [p50 / alone.p50, p99 / alone.p99, engineMicros / alone.engineMicros].map((ratio) => ratio.toFixed(2));
  const [median, slow, engine] = [p50, p99, engineMicros].map((value, index) => `${value.toFixed(2)} (${times[index]}`);
  const byWrites = (engineMicros / withAll.engineMicros).toFixed(2);
  return `| ${what} | ${written} | ${median}) | ${slow}) | ${engine}, ${byWrites}) | ${linkMicros.toFixed(0)} |`;
}

function processorMs(pid: number): number {
  return processorSecondsOf(pid) * 1_000;
}
