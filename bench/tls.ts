// What TLS costs: to the engine alone, and to clients too, beside none, in one run: `node bench/tls.ts [--rounds 3]`.
// Only the ratio means anything on a machine that others use too.
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  certificateFilesIn,
  certificateSettings,
  writeCertificate,
} from "../src/mechanisms/supervisor/engine-tls-files.ts";
import type { EndpointConfig } from "../src/ports/management/proxy-control.ts";
import { startEngine } from "../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../test/kit/engines/proxy.ts";
import { settingsWith } from "../test/kit/facts/settings.ts";
import { authorityNamed, endpointCertificate } from "../test/kit/tls/certificates.ts";
import { engineCertificate } from "../test/kit/tls/engine-certificates.ts";
import { commandLine } from "./command-line.ts";

const { rounds } = commandLine({ rounds: 3 }).options;
const run = promisify(execFile);
const LOADS = [
  { clients: 1, pipeline: 1, requests: 10_000, keeps: true },
  { clients: 50, pipeline: 1, requests: 100_000, keeps: true },
  { clients: 50, pipeline: 16, requests: 500_000, keeps: true },
  /** A connection for each request. */
  { clients: 50, pipeline: 1, requests: 3_000, keeps: false },
] as const;
const engines = process.env.STORE_ENGINES_DIR ?? join(import.meta.dirname, "..", ".engines");
const [tool] = globSync(join(engines, "*/bin/*-benchmark")).toReversed();
if (tool === undefined) throw new Error("no valkey-benchmark or redis-benchmark beside the engines: run npm run setup");
const folder = mkdtempSync(join(tmpdir(), "tls-"));
const authority = authorityNamed("bench");
const authorityFile = join(folder, "ca.pem");
writeFileSync(authorityFile, authority.certificate);
const shown = engineCertificate(authority);
const files = certificateFilesIn(folder);
await writeCertificate(files, shown);
const TLS_PORT = 6380;
const settings = Object.entries(certificateSettings(files)).flatMap(([name, value]) => [`--${name}`, value]);
await using engine = await startEngine({
  engine: process.env.ENGINE,
  args: ["--tls-port", String(TLS_PORT), ...settings],
});
const inside = { host: engine.host, port: TLS_PORT, tls: true } as const;
const KINDS = [
  { name: "none", over: {}, tls: false },
  { name: "to engines", over: { primary: inside }, tls: false },
  {
    name: "everywhere",
    over: {
      primary: inside,
      settings: settingsWith({ tlsMode: "enabled" }),
      certificate: endpointCertificate(authority, "db.test"),
    },
    tls: true,
  },
] as const;

console.log(`${engine.name}, ${tool.split("/").at(-1)}, median of ${rounds} rounds, 64 bytes, requests a second`);
console.log("clients  pipeline  command", ...KINDS.map(({ name }) => name.padStart(16)));
await using served = await serve();
for (const load of LOADS) {
  const rates = KINDS.map((): Rates[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { endpoint, tls }] of served.endpoints.entries()) rates[i]?.push(await measure(endpoint, tls, load));
  for (const command of ["SET", "GET"] as const) {
    const medians = rates.map((all) => median(all.map((rate) => rate[command])));
    const cells = medians.map((rate) => `${Math.round(rate)} (${(rate / (medians[0] ?? 1)).toFixed(2)})`.padStart(16));
    const pipeline = load.keeps ? String(load.pipeline) : "connect";
    console.log(String(load.clients).padStart(7), pipeline.padStart(9), command.padStart(8), ...cells);
  }
}
rmSync(folder, { recursive: true });

interface Rates {
  readonly SET: number;
  readonly GET: number;
}

/** A proxy of its own for each kind. */
async function serve() {
  await using stack = new AsyncDisposableStack();
  const endpoints = [];
  for (const { over, tls } of KINDS) {
    const proxy = stack.use(await startProxy());
    const endpoint: EndpointConfig = { ...endpointFor(engine), ...over };
    await done(proxy.send({ op: "configure", endpoints: [endpoint], engineCertificate: shown }));
    endpoints.push({ endpoint, tls });
  }
  const owned = stack.move();
  return { endpoints, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function measure({ listen }: EndpointConfig, tls: boolean, load: (typeof LOADS)[number]): Promise<Rates> {
  const { stdout } = await run(tool ?? "", [
    ...["-h", listen.host, "-p", String(listen.port), "-t", "set,get", "-d", "64", "-r", "100000", "--csv"],
    ...["-c", String(load.clients), "-P", String(load.pipeline), "-n", String(load.requests)],
    ...(load.keeps ? [] : ["-k", "0"]),
    ...(tls ? ["--tls", "--cacert", authorityFile, "--sni", "db.test"] : []),
  ]);
  const rate = (command: string): number => Number(new RegExp(`^"${command}[^"]*","([\\d.]+)"`, "m").exec(stdout)?.[1]);
  return { SET: rate("SET"), GET: rate("GET") };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
