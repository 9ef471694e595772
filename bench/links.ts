import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { startEngine, type TestEngine } from "../test/kit/engines/engine.ts";
import { startLinkedSites, type LinkedSites } from "../test/kit/links/linked-sites.ts";
import { until } from "../test/kit/time/until.ts";
import { commandLine } from "./command-line.ts";
import { processorSecondsOf } from "./kernel/processor-time.ts";

// What the link of a site costs its engine and its clients: the same writes at an engine alone, and at three that are linked.

const { options } = commandLine({
  rate: 3000,
  seconds: 8,
  /** Gives engines and clients priority over the links, as where the links have free processors. Needs Linux, chrt and root. */
  first: false,
});
const { rate: RATE, seconds: SECONDS } = options;
const KEYS = 10_000;
const TURN_MS = 5;

interface Row {
  readonly what: string;
  readonly written: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the engine and of the link, in microseconds for each write of this site. */
  readonly engineMicros: number;
  readonly linkMicros: number;
}

process.stdout.write(`${RATE} writes/s at each site (SET, INCR, HSET, SADD of ${KEYS} keys), ${SECONDS} s\n`);
putFirst(process.pid);
const alone = await measureAlone();
const linked = await measureLinked();
for (const row of [alone, ...linked]) process.stdout.write(`${lineOf(row, alone)}\n`);
process.exit(0);

async function measureAlone(): Promise<Row> {
  await using engine = await startEngine({ args: ["--save", ""] });
  putFirst(engine.pid);
  const before = processorMs(engine.pid);
  const times = await writeAt(engine, 0);
  return rowOf("an engine alone", times, processorMs(engine.pid) - before, 0);
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
    const key = `${number % 4}:${(number * 7919 + site * 31) % KEYS}`;
    const value = "v".repeat(64);
    const commands = [
      ["SET", key, value],
      ["INCR", key],
      ["HSET", key, "field", value],
      ["SADD", key, String(number % 10)],
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

function lineOf({ what, written, p50, p99, engineMicros, linkMicros }: Row, base: Row): string {
  const ratio = (value: number, of: number): string => `${value.toFixed(2)} (${(value / of).toFixed(2)})`;
  return `| ${what} | ${written} | ${ratio(p50, base.p50)} | ${ratio(p99, base.p99)} | ${ratio(engineMicros, base.engineMicros)} | ${linkMicros.toFixed(0)} |`;
}

function processorMs(pid: number): number {
  return processorSecondsOf(pid) * 1_000;
}
