// How soon another site has what is written at one, and how soon a site that has lost all has it again: node bench/transfer.ts [options].
import { startLinkedSites } from "../test/kit/links/linked-sites.ts";
import { until } from "#kit/testing/until";
import { commandLine } from "./command-line.ts";

const { options } = commandLine({
  keys: 100_000,
  /** Bytes of each value. */
  bytes: 100,
  /** One way between the two sites, in milliseconds. */
  latency: 20,
});
const { keys, bytes, latency: latencyMs } = options;
const PATIENCE = { withinMs: 600_000, everyMs: 20 };
const WRITTEN_AT_ONCE = 1_000;

await using world = await startLinkedSites({ sites: 2, latencyMs });
await until("the sites are linked", () => world.areUp(), PATIENCE);
await timed("written and at the other site", async () => {
  await write();
  await until("the other one has all", hasAll, PATIENCE);
});
await until("both know of nothing more", knowsNothing, PATIENCE);
await world.lose(2);
await timed("here again after all was lost", () => until("it has all again", hasAll, PATIENCE));
const began = performance.now();
await until("they are linked", () => world.areUp(), PATIENCE);
console.log(`linked again: ${((performance.now() - began) / 1_000).toFixed(1)} s after that`);
process.exit(0);

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const [perSecond, mebibytes] = [keys / seconds, (keys * bytes) / seconds / 1_048_576];
  console.log(`${what}: ${seconds.toFixed(1)} s, ${perSecond.toFixed(0)} keys/s, ${mebibytes.toFixed(1)} MiB/s`);
}

async function write(): Promise<void> {
  const client = await world.engines[0]?.connect();
  const value = "x".repeat(bytes);
  for (let from = 0; from < keys; from += WRITTEN_AT_ONCE) {
    const count = Math.min(WRITTEN_AT_ONCE, keys - from);
    await client?.callAll(
      Array.from({ length: count }, (_, index) => ["SET", `key:${from + index}`, value]),
      "latin1",
    );
  }
  client?.close();
}

async function hasAll(): Promise<boolean> {
  return Number(await world.sites[1]?.engine.call("DBSIZE")) >= keys;
}

async function knowsNothing(): Promise<boolean> {
  const all = await Promise.all(world.sites.map(({ link }) => link.status()));
  return all.flat().every(({ knownKeys }) => knownKeys === 0);
}
