import type { Clock } from "../../core/base/clock.ts";
import { connectEngine, engineCodeOf } from "../../ports/resp/engine-client.ts";
import type { EngineAddress, EngineClient } from "../../ports/resp/engine-client.ts";

/** How patiently an engine is watched, in milliseconds. */
export interface HeartbeatLimits {
  /** A starting engine must answer anything within this, if only that it is loading. */
  readonly readyMs: number;
  /** A serving engine that answers nothing for this long hangs. */
  readonly silentMs: number;
  /** Between two questions to a serving engine; a starting one is asked more often. */
  readonly everyMs: number;
}

export interface Heartbeat {
  readonly address: EngineAddress;
  readonly limits: HeartbeatLimits;
  readonly clock: Clock;
  /** Called once, when the engine first answers as one that has its data. */
  readonly onPong: () => void;
  /** Aborts when the process has ended or is being stopped. */
  readonly signal: AbortSignal;
}

const STARTING_EVERY_MS = 20;
const ANSWER_MS = 1_000;

type Answer = "pong" | "loading" | "silence";

/**
 * Asks an engine with PING until the signal aborts ("ended") or the engine has been silent for too long ("silent"). Any
 * answer is a sign of life, also an error; a process that merely has its port open is not.
 */
export async function watchHeartbeat(heartbeat: Heartbeat): Promise<"ended" | "silent"> {
  const { limits, clock, signal, onPong } = heartbeat;
  const line = new Line(heartbeat.address, signal);
  let serving = false;
  let lastAnswer = clock.now().getTime();
  while (!signal.aborted) {
    const answer = await line.ask();
    const now = clock.now().getTime();
    if (answer !== "silence") lastAnswer = now;
    else if (now - lastAnswer > (serving ? limits.silentMs : limits.readyMs)) break;
    if (answer === "pong" && !serving && !signal.aborted) {
      serving = true;
      onPong();
    }
    await pause(clock, serving ? limits.everyMs : STARTING_EVERY_MS, signal);
  }
  line.close();
  return signal.aborted ? "ended" : "silent";
}

/** One connection, kept between questions and made anew when it failed. */
class Line {
  readonly #address: EngineAddress;
  readonly #signal: AbortSignal;
  #client: EngineClient | undefined;

  constructor(address: EngineAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
  }

  async ask(): Promise<Answer> {
    try {
      this.#client ??= await connectEngine({ ...this.#address, timeoutMs: ANSWER_MS, signal: this.#signal });
      await this.#client.call("PING");
      return "pong";
    } catch (error) {
      const code = engineCodeOf(error);
      if (code !== undefined) return code === "LOADING" ? "loading" : "pong";
      this.close();
      return "silence";
    }
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => undefined); // the loop looks at the signal itself
}
