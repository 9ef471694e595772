import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { callEngine, type EngineAddress, type EngineOptions } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";

/** A pause that is not renewed ends after this, in milliseconds. */
const PAUSE_MS = 10_000;

/**
 * The engines of a node at which writes wait while the node cannot know whether it was succeeded. A replica that is paused does not apply what its primary
 * sends, so an engine that was demoted meanwhile goes on at once, and is never paused by what old records say of it.
 */
export class PausedEngines {
  readonly #primaries: () => Promise<readonly EngineAddress[]>;
  readonly #log: Log;
  #paused: readonly EngineAddress[] = [];

  /** `primaries`: engines of the node that are primaries by its records. */
  constructor(primaries: () => Promise<readonly EngineAddress[]>, log: Log) {
    this.#primaries = primaries;
    this.#log = log;
  }

  /** Pauses those that are primaries by their own word, or pauses them longer; others that were paused go on. */
  async pause(): Promise<void> {
    const named = await this.#primaries();
    const others = this.#paused.filter((one) => !named.some((address) => isSame(one, address)));
    this.#paused = [...others, ...named];
    await Promise.all(this.#paused.map((address) => this.#command(address, pauseIfPrimary)));
  }

  /** Writes at all that were paused go on. */
  async resume(): Promise<void> {
    const paused = this.#paused;
    this.#paused = [];
    await Promise.all(paused.map((address) => this.#command(address, resumeWrites)));
  }

  async #command(address: EngineAddress, act: (engine: EngineOptions) => Promise<void>): Promise<void> {
    try {
      await act({ ...address, timeoutMs: 1_000 });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#log.warn("an engine could not be paused or resumed", { port: address.port, error });
    }
  }
}

async function pauseIfPrimary(engine: EngineOptions): Promise<void> {
  const replication = textOf(await callEngine(engine, "INFO", "replication"));
  if (/^role:master/m.test(replication)) await callEngine(engine, "CLIENT", "PAUSE", PAUSE_MS, "WRITE");
  else await resumeWrites(engine);
}

async function resumeWrites(engine: EngineOptions): Promise<void> {
  await callEngine(engine, "CLIENT", "UNPAUSE");
}

function isSame(one: EngineAddress, other: EngineAddress): boolean {
  return one.host === other.host && one.port === other.port;
}
