import type { Clock } from "#kit/base/clock";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { isPushed } from "../protocol/subscriptions.ts";
import { startTimer } from "../timing/timer.ts";
import type { Pin } from "../upstream/pin.ts";
import { replayOn } from "../upstream/replay.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { EngineRun } from "./engine-run.ts";

/**
 * A server that has given out cursors. They are valid while its process lives; a connection that stays open all the time
 * proves that. A server that is not primary any more is kept until a minute has passed without a scan.
 */
export class ScanSource {
  readonly upstream: Upstream;
  /** The process may be another one now: its cursors are not valid. */
  over = false;
  readonly run: EngineRun;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** Ends the requests that wait for an answer. */
  readonly #asking = new Set<() => void>();
  #connected: Promise<EngineClient>;
  #demoted = false;
  #askedAt: number;
  #cancelExpiry: () => void = () => undefined;

  /** `patienceMs`: how long a server that is not primary any more may take for an answer. */
  constructor(upstream: Upstream, clock: Clock, patienceMs: number) {
    this.upstream = upstream;
    this.run = new EngineRun(upstream);
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#askedAt = this.#now;
    this.#connected = upstream.control();
    this.#connected.then(
      ({ closed }) => {
        void closed.then(() => {
          this.end();
        });
        void this.run.named();
      },
      () => {
        this.end();
      },
    );
  }

  /** The server's answer; rejects when there is none. */
  async ask(request: Buffer, identity: ClientIdentity): Promise<Buffer> {
    this.#askedAt = this.#now;
    await this.#connected;
    const pin = await this.upstream.pins.takeOrDial(identity.settings);
    try {
      await this.#logIn(pin, identity);
      return await this.#answerOf(pin, request);
    } catch (error) {
      pin.tainted = true;
      throw error;
    } finally {
      this.upstream.pins.giveBack(pin);
    }
  }

  /** It is not primary any more. */
  demote(): void {
    if (this.#demoted) return;
    this.#demoted = true;
    this.#askedAt = this.#now;
    this.#expireIn(SCAN_IDLE_MS);
    for (const giveUp of this.#asking) this.#limit(giveUp);
  }

  /** It is primary again. */
  promote(): void {
    this.#demoted = false;
    this.#cancelExpiry();
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.#cancelExpiry();
    for (const giveUp of [...this.#asking]) giveUp();
    this.upstream.destroy();
  }

  get #now(): number {
    return this.#clock.uptimeMs();
  }

  /** A user of the engine scans with its own rights, on a connection that no other client gets. */
  async #logIn(pin: Pin, { user }: ClientIdentity): Promise<void> {
    if (user === undefined) return;
    pin.tainted = true;
    const auth = encodeCommand(["AUTH", user.name, user.password]);
    await replayOn(pin, { commands: [auth], replies: 1 }, this.#clock, () => undefined);
  }

  #answerOf(pin: Pin, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#asking.delete(giveUp);
        reject(new Error("the engine is gone"));
      };
      this.#asking.add(giveUp);
      pin.attach({
        frame: (frame) => {
          if (isPushed(frame)) return;
          this.#asking.delete(giveUp);
          resolve(frame);
        },
        closed: giveUp,
      });
      pin.write(request);
      if (this.#demoted) this.#limit(giveUp);
    });
  }

  /** A former primary that does not answer is treated as gone. */
  #limit(giveUp: () => void): void {
    startTimer(this.#clock, this.#patienceMs, () => {
      if (this.#demoted && this.#asking.has(giveUp)) this.end();
    });
  }

  #expireIn(ms: number): void {
    this.#cancelExpiry = startTimer(this.#clock, ms, () => {
      const leftMs = SCAN_IDLE_MS - (this.#now - this.#askedAt);
      if (leftMs <= 0) this.end();
      else this.#expireIn(leftMs);
    });
  }
}

/** A former primary is kept for so long after the last scan. */
export const SCAN_IDLE_MS = 60_000;
