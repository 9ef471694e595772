import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { callEngine, connectEngine } from "../../../src/ports/resp/engine-client.ts";
import type { EngineAddress, EngineClient } from "../../../src/ports/resp/engine-client.ts";
import type { Arg } from "../../../src/ports/resp/encode.ts";
import { parseInfo, replicationView } from "../../../src/ports/resp/info.ts";
import type { ReplicationView } from "../../../src/ports/resp/info.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { until } from "#kit/testing/until";

/** A real engine process of a test, on a loopback address of its own. It ends with the test process. */
export interface TestEngine extends AsyncDisposable {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** One command on a connection of its own. */
  call(...args: readonly Arg[]): Promise<Reply>;
  connect(): Promise<EngineClient>;
  replication(): Promise<ReplicationView>;
  /** Makes it a replica of `primary` and waits until the primary streams to it. */
  follow(primary: TestEngine): Promise<void>;
  /** Ends the process (by SIGKILL unless a signal is given) and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface TestEngineOptions {
  /** One of `engineNames()`; the oldest when absent. */
  readonly engine?: string | undefined;
  readonly host?: string;
  readonly port?: number;
  readonly password?: string;
  /** More options of the engine, for instance `["--appendonly", "yes"]`. */
  readonly args?: readonly string[];
}

const ROOT = join(import.meta.dirname, "../../..");

/** Folders that hold engines, like `redis-7.0.15/bin/redis-server`. */
const FOLDERS = [process.env.STORE_ENGINES_DIR, join(ROOT, ".engines")].filter((folder) => folder !== undefined);

/** Names of the engines that this machine has, in the order in which one may follow another; empty when there is none. */
export function engineNames(): readonly string[] {
  return [...executables().keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/** An engine and one that may replicate from it: two versions where the machine has them. */
export function enginePair(): readonly [string, string] {
  const [first, ...others] = engineNames();
  if (first === undefined) throw new Error(`no engine in ${FOLDERS.join(", ")}: run npm run setup`);
  return [first, others.find((name) => name.startsWith("valkey")) ?? others[0] ?? first];
}

/** A loopback address of its own: one of a million, so that no port of it is in use, below those that worlds take for themselves. */
export function loopbackAddress(): string {
  const part = (low: number, high: number): number => low + Math.floor(Math.random() * (high - low));
  return `127.${part(1, 20)}.${part(0, 255)}.${part(1, 255)}`;
}

/** Starts an engine without persistence and waits until it answers. */
export async function startEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const { engine: name = enginePair()[0], host = loopbackAddress(), port = 6379, password } = options;
  const address = { host, port, timeoutMs: 5000, ...(password === undefined ? {} : { password }) };
  const { child, stop } = spawnEngine(name, address, options.args ?? []);
  try {
    await until(`${name} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`);
      return callEngine(address, "PING").then(
        () => true,
        () => false, // it does not listen yet
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const call = (...args: readonly Arg[]): Promise<Reply> => callEngine(address, ...args);
  const replication = async (): Promise<ReplicationView> => viewOf(textOf(await call("INFO", "replication")));
  return {
    name,
    host,
    port,
    pid: child.pid ?? 0,
    call,
    replication,
    stop,
    connect: () => connectEngine(address),
    follow: async (primary) => {
      if (password !== undefined) await call("CONFIG", "SET", "masterauth", password);
      await call("REPLICAOF", primary.host, primary.port);
      await until(`${name} replicates`, async () => {
        const { replicas } = await primary.replication();
        return replicas.some((replica) => replica.host === host && replica.state === "online");
      });
      // a diskless primary holds the stream back until the first acknowledgement
      await primary.call("PUBLISH", "kit:stream", "flows");
      const { offset } = await primary.replication();
      await until(`the stream reaches ${name}`, async () => (await replication()).offset >= offset);
    },
    [Symbol.asyncDispose]: () => stop(),
  };
}

function spawnEngine(name: string, { host, port, password }: EngineAddress, more: readonly string[]) {
  const executable = executables().get(name);
  if (executable === undefined) throw new Error(`no engine ${name}; there are ${engineNames().join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), "engine-"));
  const child = spawn(executable, [...argumentsOf(host, port, folder, password), ...more], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const kill = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", kill);
  const gone = once(child, "exit").then(() => {
    process.removeListener("exit", kill);
    rmSync(folder, { recursive: true, force: true });
  });
  const stop = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  return { child, stop };
}

function executables(): ReadonlyMap<string, string> {
  const found = FOLDERS.flatMap((folder) => globSync(join(folder, "*/bin/{redis,valkey}-server")));
  const named = found.map((path): [string, string] => [basename(join(path, "../..")), path]);
  if (named.length > 0) return new Map(named);
  const onPath = (process.env.PATH ?? "")
    .split(":")
    .flatMap((folder) => [
      ["redis", join(folder, "redis-server")] as const,
      ["valkey", join(folder, "valkey-server")] as const,
    ]);
  return new Map(onPath.filter(([, path]) => existsSync(path)));
}

function argumentsOf(host: string, port: number, folder: string, password: string | undefined): readonly string[] {
  const secured = password === undefined ? [] : ["--requirepass", password];
  return [
    ...["--bind", host, "--port", String(port), "--dir", folder, "--save", "", "--appendonly", "no"],
    ...["--logfile", "/dev/null", "--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes"],
    ...["--replica-announce-ip", host, ...secured],
  ];
}

function viewOf(text: string): ReplicationView {
  const view = replicationView(parseInfo(text));
  if (view === undefined) throw new Error("INFO replication names no role");
  return view;
}
