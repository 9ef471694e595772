import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { LIMITS } from "../../src/programs/proxy/limits/limits.ts";
import { processorSecondsOf } from "../kernel/processor-time.ts";
import type { Way } from "./way.ts";

/** What clients do in one row of the table. */
export interface Load {
  readonly clients: number;
  readonly pipeline: number;
  readonly bytes: number;
}

/** What one way made of a load. */
export interface Sample {
  /** Requests a second. */
  readonly set: number;
  readonly get: number;
  /** What half of the GET took at most, and 99 of 100, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the proxy for each request, in microseconds; absent without a proxy. */
  readonly cpu?: number;
}

const engines = process.env.STORE_ENGINES_DIR ?? join(import.meta.dirname, "../..", ".engines");
const run = promisify(execFile);
const TOOLS = globSync(join(engines, "*/bin/*-benchmark")).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

/** The program that makes the load: the benchmark of the newest engine. */
export function loadTool(): string {
  const tool = TOOLS.at(-1);
  if (tool === undefined)
    throw new Error("no valkey-benchmark or redis-benchmark beside the engines: run npm run setup");
  return tool;
}

/**
 * Whether the tool can make this load. With TLS it lets all clients speak, and then waits for them one by one: with more of them than a
 * server takes through the handshake at once, both wait for each other. With TLS it also sends what is left of a large value only when the rest
 * was acknowledged, 40 ms later: one client would measure nothing else.
 */
export function canMeasure({ authorityFile }: Way, { clients, bytes }: Load): boolean {
  if (authorityFile === undefined) return true;
  return clients <= LIMITS.handshakes && (clients > 1 || bytes <= SMALL);
}

/** Has clients set and get values through `way`, `share` of the usual number. */
export async function measure({ address, pid, authorityFile }: Way, load: Load, share: number): Promise<Sample> {
  const { clients, pipeline, bytes } = load;
  const requests = Math.max(clients * pipeline, Math.round(requestsOf(load) * share));
  const before = pid === undefined ? 0 : processorSecondsOf(pid);
  const args = [
    ...["-h", address.host, "-p", String(address.port), "-t", "set,get", "-d", String(bytes), "--csv"],
    ...["-c", String(clients), "-P", String(pipeline), "-n", String(requests), "-r", bytes > SMALL ? "500" : "10000"],
    ...(authorityFile === undefined ? [] : ["--tls", "--cacert", authorityFile, "--sni", "db.test"]),
  ];
  const { stdout } = await run(loadTool(), args, { timeout: MOST_MS, killSignal: "SIGKILL" });
  const [set, get] = [figuresIn(stdout, "SET"), figuresIn(stdout, "GET")];
  const sample = { set: set.rate, get: get.rate, p50: get.p50, p99: get.p99 };
  return pid === undefined ? sample : { ...sample, cpu: ((processorSecondsOf(pid) - before) / (2 * requests)) * 1e6 };
}

/** The tool's line about a command: "GET","rate","average","least","p50","p95","p99","most". */
function figuresIn(
  csv: string,
  command: string,
): { readonly rate: number; readonly p50: number; readonly p99: number } {
  const line = csv.split("\n").find((one) => one.startsWith(`"${command}`)) ?? "";
  const [, rate, , , p50, , p99] = line.split(",").map((cell) => Number(cell.replaceAll('"', "")));
  return { rate: rate ?? Number.NaN, p50: p50 ?? Number.NaN, p99: p99 ?? Number.NaN };
}

/** About two seconds of work. */
function requestsOf({ clients, pipeline, bytes }: Load): number {
  if (bytes > SMALL) return 8_000;
  if (clients === 1) return pipeline === 1 ? 20_000 : 200_000;
  return pipeline === 1 ? 100_000 : 800_000;
}

const SMALL = 4096;
const MOST_MS = 600_000;
