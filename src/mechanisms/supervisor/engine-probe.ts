import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Clock } from "#kit/base/clock";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import type { FoundEngine } from "./engines.ts";

const HOST = "127.0.0.1";
/** An engine that cannot serve ends; one that still runs after this time is slow, on a busy machine, which says nothing about the engine. */
const START_MS = 60_000;
const CALL_MS = 5_000;
const RETRY_MS = 10;

/** How an engine is started for a question, and how it is reached then. */
export interface EngineProbe extends Pick<EngineAddress, "password" | "tls"> {
  /** Lines of its configuration that make it listen on this port. */
  readonly configuration: (port: number) => readonly string[];
}

/**
 * What an engine answers that is started for this question alone, on loopback and without data; rejects when it does not serve. One
 * whose port another process has taken meanwhile is started again with another port: it says nothing about the engine.
 */
export async function askFreshEngine<T>(
  engine: FoundEngine,
  probe: EngineProbe,
  clock: Clock,
  ask: (client: EngineClient) => Promise<T>,
): Promise<T> {
  for (let left = PORTS_TRIED; ; left--) {
    const port = await freePort();
    try {
      return await askAt(port, engine, probe, clock, ask);
    } catch (error) {
      if (left === 1 || !(await isTaken(port))) throw error;
    }
  }
}

const PORTS_TRIED = 5;

async function askAt<T>(
  port: number,
  engine: FoundEngine,
  { configuration, password, tls }: EngineProbe,
  clock: Clock,
  ask: (client: EngineClient) => Promise<T>,
): Promise<T> {
  const child = spawn(engine.path, ["-"], { env: {}, cwd: "/", stdio: ["pipe", "ignore", "ignore"] });
  const ended = once(child, "close").catch(() => undefined); // it could not be started: nothing answers then
  child.stdin.on("error", () => undefined); // the same
  child.stdin.end(`${[`bind ${HOST}`, ...configuration(port), 'save ""', "appendonly no"].join("\n")}\n`);
  try {
    return await ask(await connectWhenReady({ host: HOST, port, password, tls }, child, clock));
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

async function connectWhenReady(
  address: EngineAddress,
  child: { readonly exitCode: number | null },
  clock: Clock,
): Promise<EngineClient> {
  const deadline = clock.uptimeMs() + START_MS;
  for (;;) {
    try {
      return await connectEngine({ ...address, timeoutMs: CALL_MS });
    } catch (error) {
      if (child.exitCode !== null || clock.uptimeMs() > deadline) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
}

/** A port of loopback that is free at this moment. */
export function freePort(): Promise<number> {
  return boundPort(0);
}

/** Listens at this port, any free one for 0, and gives it up again. */
async function boundPort(port: number): Promise<number> {
  const server = createServer().listen(port, HOST);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function isTaken(port: number): Promise<boolean> {
  return boundPort(port).then(
    () => false,
    () => true,
  );
}
