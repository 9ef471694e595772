import type { Clock } from "#kit/base/clock";
import { connectEngine, engineCodeOf } from "../../ports/resp/engine-client.ts";
import type { EngineAddress, EngineClient } from "../../ports/resp/engine-client.ts";
import { textOf } from "../../ports/resp/reply.ts";

/** How long an engine may take, in milliseconds. */
export interface HeartbeatLimits {
  /** A starting engine must answer within this, if only that it is loading. */
  readonly readyMs: number;
  /** A serving engine that does not answer for this long hangs. */
  readonly silentMs: number;
  /** Between two questions to a serving engine with replicas, or one that did not answer; a starting one gets more. */
  readonly everyMs: number;
  /** Between two questions to one without replicas. */
  readonly calmMs: number;
}

export interface Heartbeat {
  /** Read at each connection: passwords change while the engine runs. */
  readonly address: () => EngineAddress;
  readonly limits: HeartbeatLimits;
  /** Replicas follow the engine; read each time, as that changes while it runs. */
  readonly isFollowed: () => boolean;
  readonly clock: Clock;
  /** Called once, when the engine first answers as one that has its data. */
  readonly onPong: () => void;
  /** Called with what a serving engine says of its replication, as INFO has it, and when that was asked, in milliseconds of uptime. */
  readonly onReplication: (info: string, at: number) => void;
  /** Called when the engine begins and when it ends to run a script for so long that it answers nothing else. */
  readonly onBusy: (busy: boolean) => void;
  /** Aborts when the process has ended or is being stopped. */
  readonly signal: AbortSignal;
}

const STARTING_EVERY_MS = 20;
const ANSWER_MS = 1_000;

/** `busy`: it runs a script, and lives. */
type PingResult = "pong" | "busy" | "loading" | "silence";

/**
 * Asks an engine until the signal aborts ("ended") or the engine has not answered for too long ("silent"). An
 * error is an answer too; an open port alone is none.
 */
export async function watchHeartbeat(heartbeat: Heartbeat): Promise<"ended" | "silent"> {
  const { limits, clock, signal, isFollowed } = heartbeat;
  const probe = new EngineProbe(heartbeat.address, signal);
  const pulse = new Pulse(heartbeat);
  while (!signal.aborted) {
    const began = clock.uptimeMs();
    const [answer, info] = await probe.ask(...pulse.question());
    if (!pulse.take(answer, info, began)) break;
    await pause(clock, pulse.isServing ? limits.everyMs : STARTING_EVERY_MS, signal);
    while (answer === "pong" && !signal.aborted && !isFollowed() && clock.uptimeMs() - began < limits.calmMs)
      await pause(clock, limits.everyMs, signal);
  }
  probe.close();
  return signal.aborted ? "ended" : "silent";
}

/** What an engine has answered so far: whether it serves, whether it runs a long script, and how long it has been silent. */
class Pulse {
  readonly #heartbeat: Heartbeat;
  #serving = false;
  #busy = false;
  #silence: Silence | undefined; // since a ping, not the time before it: this process may have stood still itself

  constructor(heartbeat: Heartbeat) {
    this.#heartbeat = heartbeat;
  }

  get isServing(): boolean {
    return this.#serving;
  }

  /** An engine that loads answers INFO, and PING with an error. */
  question(): readonly string[] {
    return this.#serving ? ["INFO", "replication"] : ["PING"];
  }

  /** Takes the answer to a question of a moment; false once the engine has been silent for too long. */
  take(answer: PingResult, info: string, began: number): boolean {
    const { limits, clock, onReplication } = this.#heartbeat;
    if (this.#serving && info !== "") onReplication(info, began);
    if (answer === "silence") {
      const limitMs = this.#serving ? limits.silentMs : limits.readyMs;
      this.#silence = lengthen(this.#silence ?? { ms: 0, at: began }, clock.uptimeMs(), limitMs);
      return this.#silence.ms < limitMs;
    }
    this.#silence = undefined;
    this.#report(answer);
    return true;
  }

  #report(answer: Exclude<PingResult, "silence">): void {
    const { onBusy, onPong, signal } = this.#heartbeat;
    if ((answer === "busy") !== this.#busy) {
      this.#busy = !this.#busy;
      onBusy(this.#busy);
    }
    if (answer === "pong" && !this.#serving && !signal.aborted) {
      this.#serving = true;
      onPong();
    }
  }
}

/** How long an engine has not answered, up to a moment. */
interface Silence {
  readonly ms: number;
  readonly at: number;
}

/** A process that stood still has asked nothing meanwhile: each question in vain counts for a part of the limit at most. */
function lengthen({ ms, at }: Silence, now: number, limitMs: number): Silence {
  return { ms: ms + Math.min(now - at, limitMs / LEAST_QUESTIONS), at: now };
}

const LEAST_QUESTIONS = 4;

/** One connection, kept between questions and made anew after a failure. */
class EngineProbe {
  readonly #address: () => EngineAddress;
  readonly #signal: AbortSignal;
  #client: EngineClient | undefined;

  constructor(address: () => EngineAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
  }

  /** How it answered, and the text of its answer; empty without one. */
  async ask(...command: readonly string[]): Promise<readonly [PingResult, string]> {
    try {
      this.#client ??= await connectEngine({ ...this.#address(), timeoutMs: ANSWER_MS, signal: this.#signal });
      return ["pong", textOf(await this.#client.call(...command))];
    } catch (error) {
      const code = engineCodeOf(error);
      if (code === "LOADING") return ["loading", ""];
      if (code !== undefined) return [code === "BUSY" ? "busy" : "pong", ""];
      this.close();
      return ["silence", ""];
    }
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => undefined); // aborted: the loop looks at the signal
}
