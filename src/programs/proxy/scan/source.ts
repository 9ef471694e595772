import type { Clock } from "../../../core/base/clock.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { Identity } from "../client/identity.ts";
import type { Pin } from "../upstream/pin.ts";
import { replayOn } from "../upstream/replay.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import { after } from "../timing/timer.ts";
import type { Upstream } from "../upstream/upstream.ts";

/**
 * A server that has given out cursors. They are good for as long as its process lives, which a connection tells that stays
 * open all the time. A server that is no primary any more is kept until nobody has asked it for a minute.
 */
export class ScanSource {
  readonly upstream: Upstream;
  /** The process may be another one: its cursors are worthless. */
  over = false;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** Ends what is being asked. */
  readonly #asking = new Set<() => void>();
  #watched: Promise<EngineClient>;
  #left = false;
  #askedAt: number;
  #cancelExpiry: () => void = () => undefined;

  /** `patienceMs`: how long a server that is no primary any more may take for an answer. */
  constructor(upstream: Upstream, clock: Clock, patienceMs: number) {
    this.upstream = upstream;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#askedAt = this.#now;
    this.#watched = upstream.control();
    this.#watched.then(
      ({ closed }) => {
        void closed.then(() => {
          this.end();
        });
      },
      () => {
        this.end();
      },
    );
  }

  /** The server's answer; rejects when it cannot be had. */
  async ask(request: Buffer, identity: Identity): Promise<Buffer> {
    this.#askedAt = this.#now;
    await this.#watched;
    const pin = this.upstream.takePin(identity.place) ?? (await this.upstream.dialPin(identity.place));
    try {
      await this.#become(pin, identity);
      return await this.#answerOf(pin, request);
    } catch (error) {
      pin.tainted = true;
      throw error;
    } finally {
      this.upstream.returnPin(pin);
    }
  }

  /** It is no primary any more. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#askedAt = this.#now;
    this.#expireIn(SCAN_IDLE_MS);
    for (const asked of this.#asking) this.#limit(asked);
  }

  /** It is primary again. */
  comeBack(): void {
    this.#left = false;
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
    return this.#clock.now().getTime();
  }

  /** A user of the engine scans with its own rights, on a connection that nobody else gets. */
  async #become(pin: Pin, { user }: Identity): Promise<void> {
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
          if (isMessage(frame)) return;
          this.#asking.delete(giveUp);
          resolve(frame);
        },
        closed: giveUp,
      });
      pin.write(request);
      if (this.#left) this.#limit(giveUp);
    });
  }

  /** A server that was left and does not answer is as good as gone. */
  #limit(asked: () => void): void {
    after(this.#clock, this.#patienceMs, () => {
      if (this.#left && this.#asking.has(asked)) this.end();
    });
  }

  #expireIn(ms: number): void {
    this.#cancelExpiry = after(this.#clock, ms, () => {
      const leftMs = SCAN_IDLE_MS - (this.#now - this.#askedAt);
      if (leftMs <= 0) this.end();
      else this.#expireIn(leftMs);
    });
  }
}

/** A scan that nobody goes on with for so long is over. */
export const SCAN_IDLE_MS = 60_000;
