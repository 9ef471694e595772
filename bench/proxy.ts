// Throughput through the proxy and directly, side by side in one run: `node bench/proxy.ts [rounds]`.
// Only the ratio means anything on a machine that others use too.
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Address } from "../src/ports/management/proxy-control.ts";
import { startEngine } from "../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../test/kit/engines/proxy.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const LOADS = [
  { clients: 1, pipeline: 1, requests: 20_000 },
  { clients: 50, pipeline: 1, requests: 200_000 },
  { clients: 50, pipeline: 16, requests: 1_000_000 },
  { clients: 200, pipeline: 1, requests: 200_000 },
] as const;

const [tool] = globSync(
  join(process.env.STORE_ENGINES_DIR ?? join(ROOT, ".engines"), "*/bin/*-benchmark"),
).toReversed();
if (tool === undefined) throw new Error("no valkey-benchmark or redis-benchmark beside the engines: run npm run setup");
const rounds = Number(process.argv[2] ?? 3);

await using engine = await startEngine({ engine: process.env.ENGINE });
await using proxy = await startProxy();
const endpoint = endpointFor(engine);
await done(proxy.send({ op: "configure", endpoints: [endpoint] }));

console.log(`${engine.name}, ${tool.split("/").at(-1)}, median of ${rounds} rounds, 64 bytes`);
console.log("clients  pipeline  command   direct/s    proxy/s   ratio");
for (const load of LOADS) {
  const direct: Rates[] = [];
  const through: Rates[] = [];
  for (let round = 0; round < rounds; round++) {
    direct.push(await measure(engine, load));
    through.push(await measure(endpoint.listen, load));
  }
  for (const command of ["SET", "GET"] as const) {
    const [one, other] = [direct, through].map((rates) => median(rates.map((rate) => rate[command])));
    if (one === undefined || other === undefined) continue;
    const cells = [String(load.clients).padStart(7), String(load.pipeline).padStart(9), command.padStart(8)];
    console.log(...cells, thousands(one), thousands(other), (other / one).toFixed(2).padStart(7));
  }
}

interface Rates {
  readonly SET: number;
  readonly GET: number;
}

async function measure(target: Address, load: (typeof LOADS)[number]): Promise<Rates> {
  const { stdout } = await run(tool ?? "", [
    ...["-h", target.host, "-p", String(target.port), "-t", "set,get", "-d", "64", "-r", "100000", "--csv"],
    ...["-c", String(load.clients), "-P", String(load.pipeline), "-n", String(load.requests)],
  ]);
  const rate = (command: string): number => Number(new RegExp(`^"${command}[^"]*","([\\d.]+)"`, "m").exec(stdout)?.[1]);
  return { SET: rate("SET"), GET: rate("GET") };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function thousands(rate: number): string {
  return `${(rate / 1000).toFixed(1)}k`.padStart(10);
}
