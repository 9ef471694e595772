// What a request costs the proxy of a database of several shards, beside that of one shard: `npm run bench:shards`. All take turns. The cost of the
// engines is shown besides: each of several gets fewer requests at once.
import { engineNames, startEngine } from "../test/kit/engines/engine.ts";
import { done, startProxy } from "../test/kit/engines/proxy.ts";
import { startAll } from "../test/kit/engines/start-all.ts";
import { shardedEndpoint } from "../test/kit/sharded/sharded.ts";
import { commandLine } from "./command-line.ts";
import { loadText } from "./proxy/figures.ts";
import type { Load } from "./proxy/load.ts";
import { addRounds, noSamples, rowOf } from "./proxy/rounds.ts";
import type { Way } from "./proxy/way.ts";

const LOADS: readonly Load[] = [
  { clients: 50, pipeline: 1, bytes: 64 },
  { clients: 50, pipeline: 16, bytes: 64 },
];

const { options } = commandLine({ shards: [1, 2, 4, 8], rounds: 5, share: 0.3 });

await main();

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const most = Math.max(...options.shards);
  const engine = engineNames().at(-1);
  const engines = await startAll(...Array.from({ length: most }, () => startEngine({ engine })));
  for (const one of engines) stack.defer(() => one.stop());
  const ways = await Promise.all(options.shards.map((shards) => startWay(stack, engines.slice(0, shards))));
  console.log("processor time of the proxy for each request in microseconds, and that of one shard as 1\n");
  for (const load of LOADS) {
    const samples = noSamples(ways);
    await addRounds(samples, load, options);
    const { figures } = rowOf(samples, load);
    const [first] = figures;
    const cells = figures.map(({ way, cpu = Number.NaN, set, get }) => {
      const ratio = (cpu / (first?.cpu ?? Number.NaN)).toFixed(2);
      return `${way}: ${cpu.toFixed(2)} (${ratio}) ${((set + get) / 2000).toFixed(0)}k/s`;
    });
    console.log([loadText(load), ...cells].join("   "));
  }
}

async function startWay(stack: AsyncDisposableStack, engines: Parameters<typeof shardedEndpoint>[0]): Promise<Way> {
  const proxy = stack.use(await startProxy());
  const endpoint = shardedEndpoint(engines);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  return { name: `n=${engines.length}`, address: endpoint.listen, pid: proxy.pid };
}
