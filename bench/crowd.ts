// A crowd of slow readers and of clients that vanish, beside the clients of another database on the same proxy:
// `npm run bench:crowd -- [--slow 1000] [--vanished 10000] [--seconds 15] [--json crowd.json]`. Takes root on Linux: it runs in a
// network of its own. Exits with 1 when a goal is missed.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { deafen, playedInOwnNetwork, vanish } from "../test/kit/network/own-network.ts";
import { memoryOf } from "../test/kit/facts/memory.ts";
import { commandLine, namesOf } from "./command-line.ts";
import { crowdTable, missedGoals, ratioOf, socketsMiB } from "./crowd/figures.ts";
import type { CrowdFigures, Phase } from "./crowd/figures.ts";
import { LEFT, READ, startCrowdScene, type CrowdScene, type CrowdSize } from "./crowd/scene.ts";
import { processorSecondsOf } from "./kernel/processor-time.ts";

/** Phases in which much happens at once. */
const CONNECT = "they connect";
const ASK = "slow readers ask";
type Addresses = [string, string, string, string];
const OWN = "STORE_BENCH_OWN_NETWORK";
const MOST_MS = 180_000;
const { options } = commandLine({
  slow: 1000,
  vanished: 10_000,
  seconds: 15,
  tls: "disabled,enabled",
  json: "crowd.json",
});
const modes = namesOf("tls", options.tls, ["disabled", "enabled"]);
const pause = (): Promise<void> => sleep(options.seconds * 1000);

if (process.env[OWN] === undefined) {
  const args = [import.meta.filename, ...process.argv.slice(2)];
  process.exit(playedInOwnNetwork(args, { ...process.env, [OWN]: "1" }, "inherit").status ?? 1);
}
// as between machines: with its packets of 64 KiB, the kernel would take megabytes for each of the slow
execFileSync("ip", ["link", "set", "lo", "mtu", "1500"]);
const figures: CrowdFigures[] = [];
for (const [run, mode] of modes.entries()) figures.push(await measure(mode === "enabled", 4 * run));
console.log(`\n${figures.map(crowdTable).join("\n\n")}`);
writeFileSync(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
const missed = figures.flatMap(missedGoals);
if (missed.length > 0) {
  console.log(`\n${missed.join("\n")}`);
  process.exitCode = 1;
}

/** `run`: connections that have ended keep the ports of an address for a minute, so that each run has addresses of its own. */
async function measure(tls: boolean, run: number): Promise<CrowdFigures> {
  console.log(`TLS ${tls ? "enabled" : "disabled"}`);
  const [first, second, near, gone] = [8, 9, 10, 11].map((last) => `127.0.0.${last + run}`) as Addresses;
  const crowds = { slow: options.slow, vanished: options.vanished };
  const standIn = await measureStandIn(tls, { ...crowds, near: first, gone: second, by: "stand-in" });
  const size = { ...crowds, near, gone, by: "proxy" } as const;
  await using scene = await startCrowdScene(tls, size);
  const { proxy, slow, vanishing } = scene;
  const phases: Phase[] = [];
  const phase = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    phases.push(await observed(name, scene, act));
  };
  const clients = async (bdb: number): Promise<number> => (await proxy.stats(bdb)).clients;
  await pause();
  await phase("quiet", pause);
  await phase(CONNECT, async () => {
    await slow.ask("connect");
    await vanishing.ask("connect");
  });
  const letIn = { slow: await clients(READ), vanished: await clients(LEFT) };
  await phase("they are idle", pause);
  await phase(ASK, async () => {
    await slow.ask("ask");
    await until(async () => (await proxy.stats(READ)).inFlight === 0);
  });
  await phase("they hardly read", pause);
  await phase("others ask and vanish", async () => {
    deafen(gone);
    await vanishing.ask("ask");
    vanish(gone);
    await pause();
  });
  await phase("until they are gone", () => until(async () => (await clients(LEFT)) === 0));
  const cut = (await proxy.stats(READ)).cut + (await proxy.stats(LEFT)).cut;
  slow[Symbol.dispose]();
  await phase("afterwards", pause);
  return { tls, letIn, phases, standIn, peakMiB: memoryOf(proxy.pid)?.most ?? Number.NaN, cut };
}

/** The phases in which much happens at once, with a stand-in in the place of the proxy. */
async function measureStandIn(tls: boolean, size: CrowdSize): Promise<readonly Phase[]> {
  await using scene = await startCrowdScene(tls, size);
  const { slow, vanishing } = scene;
  await pause();
  const connecting = await observed(CONNECT, scene, async () => {
    await slow.ask("connect");
    await vanishing.ask("connect");
  });
  await pause();
  return [connecting, await observed(ASK, scene, () => slow.ask("ask"))];
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const by = performance.now() + MOST_MS;
  while (!(await holds()) && performance.now() < by) await sleep(500);
}

async function observed(name: string, scene: CrowdScene, act: () => Promise<unknown>): Promise<Phase> {
  const { pid, tenant, beside } = scene;
  const reports = () => Promise.all([tenant.ask("report"), beside.ask("report")]);
  await reports();
  const [began, cpuBefore] = [performance.now(), processorSecondsOf(pid)];
  await act();
  const seconds = (performance.now() - began) / 1000;
  const [latency, besideIt] = await reports();
  const cpu = (processorSecondsOf(pid) - cpuBefore) / seconds;
  const memory = { residentMiB: memoryOf(pid)?.now ?? Number.NaN, socketsMiB: socketsMiB() };
  const phase = { name, seconds, latency, beside: besideIt, cpu, ...memory };
  console.log(
    `${name}: ${seconds.toFixed(0)} s, p99 ${latency.p99.toFixed(2)} ms, ${ratioOf(phase).toFixed(2)} of that beside it`,
  );
  return phase;
}
