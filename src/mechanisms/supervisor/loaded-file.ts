import type { LoadedFile } from "../../core/api/throw-away.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import { parseInfo, type Info } from "../../ports/resp/info.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { faults } from "./faults.ts";

/** How an engine that loads a file is waited for. */
interface LoadWatch {
  readonly mostMemory: number;
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Why it has ended; undefined while it runs. */
  readonly ended: () => Promise<Fault | undefined>;
}

/** Waits until the engine has loaded its file, and answers with what it has; rejects when it ends, is too slow or takes too much memory. */
export async function askLoaded(address: EngineAddress, watch: LoadWatch): Promise<LoadedFile> {
  const { clock, withinMs, signal } = watch;
  const deadline = clock.uptimeMs() + withinMs;
  while (clock.uptimeMs() < deadline) {
    signal.throwIfAborted();
    const client = await connectEngine({ ...address, timeoutMs: withinMs }).catch(() => undefined); // it does not listen yet, or has ended
    try {
      const loaded = client === undefined ? undefined : await look(client, watch);
      if (loaded !== undefined) return loaded;
    } catch (error) {
      throw (await watch.ended()) ?? error;
    } finally {
      client?.close();
    }
    const ended = await watch.ended();
    if (ended !== undefined) throw ended;
    await clock.sleep(LOOK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
  throw new Fault(faults.loadEnded, `The engine has not loaded it within ${Math.round(withinMs / 1_000)} s.`);
}

/** What it has; undefined while it loads. */
async function look(client: EngineClient, { mostMemory }: LoadWatch): Promise<LoadedFile | undefined> {
  const used = numberOf(await infoOf(client, "memory"), "used_memory");
  if (used > mostMemory)
    throw new Fault(
      faults.loadTooLarge,
      `The engine takes ${used} bytes to load it, and ${mostMemory} were expected at most.`,
    );
  const persistence = await infoOf(client, "persistence");
  if (persistence.get("loading") !== "0") return undefined;
  const digest = textOf(await client.call("DEBUG", "DIGEST"));
  return {
    keys: numberOf(persistence, "rdb_last_load_keys_loaded"),
    expired: numberOf(persistence, "rdb_last_load_keys_expired"),
    digest,
  };
}

async function infoOf(client: EngineClient, section: string): Promise<Info> {
  return parseInfo(textOf(await client.call("INFO", section)));
}

function numberOf(info: Info, field: string): number {
  return Number(info.get(field) ?? 0);
}

const LOOK_MS = 200;
