// How long GET takes for a client beside others that run threaded or scripted commands: `node bench/beside.ts [--seconds 5]`.
// Through the proxy, on redis 8, whose VSIM waits for a thread of its own.
import { loadavg } from "node:os";
import { engineNames, startEngine } from "../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../test/kit/engines/proxy.ts";
import { RawClient } from "../test/kit/engines/raw-client.ts";
import { commandLine } from "./command-line.ts";

const { seconds } = commandLine({ seconds: 5 }).options;
const name = engineNames().find((one) => one.startsWith("redis-8"));
if (name === undefined) throw new Error("no redis 8 beside the engines: run npm run setup");
const DIMENSIONS = 100;
const VECTORS = 4_000;
const CLIENTS = 10;

await using engine = await startEngine({ engine: name });
await using proxy = await startProxy();
const endpoint = endpointFor(engine);
await done(proxy.send({ op: "configure", endpoints: [endpoint] }));

await fill();
console.log(
  `${name}, ${VECTORS} vectors of ${DIMENSIONS} dimensions, ${seconds} s each, load ${loadavg()[0]?.toFixed(1)}`,
);
console.log("beside                      GET/s      p50 ms    p99 ms    others/s");
await measure("nothing", []);
await measure(`${CLIENTS} clients of VSIM`, ["VSIM", "vectors", "ELE", "v1", "COUNT", "100", "TRUTH"]);
await measure(`${CLIENTS} clients of EVAL`, ["EVAL", "return redis.call('GET', KEYS[1])", "1", "key"]);

async function fill(): Promise<void> {
  const client = await RawClient.connect(engine);
  const values = (): string[] => Array.from({ length: DIMENSIONS }, () => (Math.random() - 0.5).toFixed(4));
  for (let i = 0; i < VECTORS; i++) {
    client.send("VADD", "vectors", "VALUES", DIMENSIONS, ...values(), `v${i}`);
    if (i % 500 === 499) await client.readMany(500);
  }
  await client.ask("SET", "key", "value");
  client.close();
}

/** One client asks GET again and again, beside others that run `command`. */
async function measure(beside: string, command: readonly string[]): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const others = command.length === 0 ? [] : await Promise.all(Array.from({ length: CLIENTS }, connect));
  let answered = 0;
  const running = others.map(async (client) => {
    while (performance.now() < end) {
      await client.ask(...command);
      answered++;
    }
    client.close();
  });
  const client = await connect();
  const times: number[] = [];
  while (performance.now() < end) {
    const began = performance.now();
    await client.ask("GET", "key");
    times.push(performance.now() - began);
  }
  client.close();
  await Promise.all(running);
  times.sort((one, other) => one - other);
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? Number.NaN).toFixed(2);
  const rates = [times.length / seconds, answered / seconds].map((rate) => rate.toFixed(0));
  console.log(
    beside.padEnd(22),
    rates[0]?.padStart(10),
    at(0.5).padStart(11),
    at(0.99).padStart(9),
    rates[1]?.padStart(11),
  );
}

function connect(): Promise<RawClient> {
  return RawClient.connect(endpoint.listen);
}
