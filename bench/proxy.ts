// The engine itself, this proxy, HAProxy and twemproxy, side by side in one run: `npm run bench:proxy -- [options]`.
// What is compared are ratios of one run, and the processor time of a proxy for each request, which holds beside other work too.
import { writeFileSync } from "node:fs";
import { engineNames, startEngine } from "../test/kit/engines/engine.ts";
import { commandLine, namesOf } from "./command-line.ts";
import { headOf, lineOf, loadText } from "./proxy/figures.ts";
import type { Row } from "./proxy/figures.ts";
import { loadTool } from "./proxy/load.ts";
import type { Load } from "./proxy/load.ts";
import { addRounds, noSamples, rowOf } from "./proxy/rounds.ts";
import { freeAddress } from "./proxy/others.ts";
import { startWays, WAYS } from "./proxy/ways.ts";

const { options } = commandLine({
  /** One row for each combination. */
  clients: [1, 50, 200, 1000],
  pipeline: [1, 16],
  bytes: [64, 1024, 65_536],
  ways: WAYS.join(","),
  rounds: 3,
  /** So much of the usual number of requests. */
  share: 1,
  /** Folders of other versions of this product, to be measured too. */
  before: [],
  /** Other programs: `name=command`, where {port} and {engine} stand for the ports to listen at and to connect to. */
  also: [],
  json: "proxy.json",
  /** Ends with 1 when this proxy takes so many times the processor time of the first of `before`, or more, in any row. */
  limit: Infinity,
});
const { rounds, share, limit } = options;
const ways = namesOf("ways", options.ways, WAYS);
const loads: readonly Load[] = options.bytes.flatMap((bytes) =>
  options.pipeline.flatMap((pipeline) => options.clients.map((clients): Load => ({ clients, pipeline, bytes }))),
);

await using engine = await startEngine({
  engine: process.env.ENGINE ?? engineNames().at(-1),
  ...(await freeAddress()),
});
await using served = await startWays(engine, ways, options);
const names = served.ways.map(({ name }) => name);
console.log(
  `${engine.name}, ${loadTool().split("/").at(-1)}, median of ${rounds} rounds; SET/GET, microseconds of the`,
);
console.log("proxy's processor time for each request; rates of the engine itself, and ratios to them\n");
console.log(headOf(names));
const rows: Row[] = [];
for (const load of loads) {
  await engine.call("FLUSHALL");
  const samples = noSamples(served.ways);
  await addRounds(samples, load, { rounds, share });
  const row = rowOf(samples, load);
  rows.push(row);
  console.log(lineOf(row));
  writeFileSync(options.json, `${JSON.stringify({ engine: engine.name, rounds, rows }, undefined, 2)}\n`);
}
for (const { load, figures } of rows) {
  const [now, before] = ["ours", "before"].map((way) => figures.find((figure) => figure.way === way)?.cpu);
  if (now === undefined || before === undefined || now < before * limit) continue;
  console.log(`${loadText(load)} takes ${(now / before).toFixed(2)} times the processor time of before`);
  process.exitCode = 1;
}
