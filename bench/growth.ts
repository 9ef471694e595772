// Whether a request costs the proxy more than at the release before: `npm run bench:growth`. Ends with 1 when it takes over 15 % more
// processor time in any row, with 3 where that release cannot be made. Both run in turns, and more rounds follow only while the
// first ones say that it has grown.
import { engineNames, startEngine } from "../test/kit/engines/engine.ts";
import { buildRelease, whyNotBuildable } from "../scripts/releases/build.ts";
import { keptReleases } from "../scripts/releases/history.ts";
import { commandLine } from "./command-line.ts";
import { loadText } from "./proxy/figures.ts";
import type { Load } from "./proxy/load.ts";
import { freeAddress } from "./proxy/others.ts";
import { addRounds, noSamples, rowOf } from "./proxy/rounds.ts";
import { startWays } from "./proxy/ways.ts";
import type { Way } from "./proxy/way.ts";

const LOADS: readonly Load[] = [
  { clients: 50, pipeline: 1, bytes: 64 },
  { clients: 50, pipeline: 16, bytes: 64 },
  { clients: 200, pipeline: 1, bytes: 1024 },
];
const MOST_GROWTH = 1.15;
const ROUNDS = { each: 3, most: 15 } as const;
/** Of the usual number of requests: a third of a second of work. */
const SHARE = 0.15;

commandLine({});
process.exitCode = await main();

async function main(): Promise<number> {
  const before = keptReleases().at(-1);
  const obstacle = before === undefined ? "no release is kept" : await whyNotBuildable(before);
  if (before === undefined || obstacle !== undefined) {
    console.log(`not measured: ${obstacle}`);
    return 3;
  }
  const { folder } = await buildRelease(before);
  await using engine = await startEngine({ engine: engineNames().at(-1), ...(await freeAddress()) });
  await using served = await startWays(engine, ["ours"], { before: [folder], also: [] });
  console.log(`processor time of the proxy for each request, now and at release ${before.version}, in microseconds\n`);
  let grown = 0;
  for (const load of LOADS) {
    await engine.call("FLUSHALL");
    if (await hasGrown(served.ways, load)) grown += 1;
  }
  return grown === 0 ? 0 : 1;
}

async function hasGrown(ways: readonly Way[], load: Load): Promise<boolean> {
  const samples = noSamples(ways);
  for (let rounds = ROUNDS.each; ; rounds += ROUNDS.each) {
    await addRounds(samples, load, { rounds: ROUNDS.each, share: SHARE });
    const [now = Number.NaN, then = Number.NaN] = rowOf(samples, load).figures.map(({ cpu }) => cpu);
    const ratio = now / then;
    console.log(`${loadText(load)} ${now.toFixed(2)} and ${then.toFixed(2)}: ${ratio.toFixed(2)}, ${rounds} rounds`);
    if (ratio <= MOST_GROWTH) return false;
    if (rounds >= ROUNDS.most) return true;
  }
}
