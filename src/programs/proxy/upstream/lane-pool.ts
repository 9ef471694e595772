import { backoffMs } from "#kit/base/backoff";
import type { Clock } from "#kit/base/clock";
import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { startTimer } from "../timing/timer.ts";
import type { ArenaPool } from "./arena.ts";
import { settingsKey } from "./connection-settings.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { dialRefusal } from "./engine-connection.ts";
import type { EngineConnection } from "./engine-connection.ts";
import { Lane } from "./lane.ts";
import type { ReplyPermits } from "./reply-gate.ts";

/** What a pool of lanes needs of the upstream that it belongs to. */
export interface LanePoolOwner {
  /** The upstream takes no more requests. */
  readonly isRetired: () => boolean;
  readonly clock: Clock;
  readonly arenas: ArenaPool;
  readonly permits: ReplyPermits;
  readonly dial: (settings: ConnectionSettings) => Promise<EngineConnection>;
  /** A lane is ready, is gone, or takes requests again. */
  readonly changed: () => void;
  /** The engine could not be reached `failures` times in a row. */
  readonly unreachable: (failures: number, error: unknown) => void;
}

/** What there is for a client: a lane, the engine's refusal of the settings, or nothing yet. */
export type LaneChoice = { readonly lane: Lane; readonly hello: Buffer } | { readonly refused: Buffer } | undefined;

/** The lanes to one engine, one for each combination of settings that clients have. */
export class LanePool {
  /** True while there is a lane: the engine could be reached last time. */
  reachable = false;
  readonly #owner: LanePoolOwner;
  readonly #slots = new Map<string, Slot>();

  constructor(owner: LanePoolOwner) {
    this.#owner = owner;
  }

  /** A lane for these settings. When there is none it is dialled, and `changed` is called when asking again is worthwhile. */
  choose(settings: ConnectionSettings): LaneChoice {
    const slot = this.#slot(settings);
    if (slot.lane !== undefined) return { lane: slot.lane, hello: slot.hello };
    if (slot.refused !== undefined) return { refused: slot.refused };
    if (!slot.dialling && !this.#owner.isRetired()) void this.#dial(slot);
    return undefined;
  }

  /** Opens lanes for all these settings; rejects when one cannot be opened. */
  async open(all: readonly ConnectionSettings[]): Promise<void> {
    await Promise.all(all.map((settings) => this.#open(this.#slot(settings))));
  }

  /** The settings that there is a lane for. */
  get served(): readonly ConnectionSettings[] {
    return [...this.#slots.values()].filter((slot) => slot.lane !== undefined).map((slot) => slot.settings);
  }

  get inFlight(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.inFlight, 0);
  }

  /** The request of each lane that all others on the lane wait for. */
  get oldest(): readonly OutstandingRequest[] {
    return this.#lanes.map((lane) => lane.oldest).filter((request) => request !== undefined);
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    for (const lane of this.#lanes) lane.flush();
  }

  /** Ends the lanes on which a request has waited longer than `ms`. */
  destroyOverdue(ms: number): void {
    for (const lane of this.#lanes) if ((lane.oldest?.ageMs ?? 0) > ms) lane.destroy();
  }

  /** Ends the lanes that have nothing in flight; the others end when they are idle. */
  destroyIdle(): void {
    for (const lane of this.#lanes) if (lane.inFlight === 0) lane.destroy();
  }

  destroy(): void {
    for (const lane of this.#lanes) lane.destroy();
  }

  get #lanes(): readonly Lane[] {
    return [...this.#slots.values()].map((slot) => slot.lane).filter((lane) => lane !== undefined);
  }

  #slot(settings: ConnectionSettings): Slot {
    const key = settingsKey(settings);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const empty = { lane: undefined, hello: Buffer.alloc(0), refused: undefined };
    const slot: Slot = { settings, ...empty, dialling: false, opening: 0, failures: 0 };
    this.#slots.set(key, slot);
    return slot;
  }

  async #dial(slot: Slot): Promise<void> {
    slot.dialling = true;
    try {
      await this.#open(slot);
      slot.dialling = false;
      this.#owner.changed();
    } catch (error) {
      slot.refused = slot.settings.database > 0 ? dialRefusal(error) : undefined;
      slot.failures += 1;
      this.#owner.unreachable(slot.failures, error);
      startTimer(this.#owner.clock, backoffMs(slot.failures, FIRST_RETRY_MS, LAST_RETRY_MS), () => {
        slot.dialling = false;
        this.#forgetRefused(slot);
        if (!this.#owner.isRetired()) this.#owner.changed();
      });
      if (slot.refused !== undefined) this.#owner.changed();
    }
  }

  /** Forgets a refusal once those that waited for it have it: clients may ask for a million databases. */
  #forgetRefused(slot: Slot): void {
    if (slot.refused !== undefined && slot.lane === undefined && slot.opening === 0)
      this.#slots.delete(settingsKey(slot.settings));
  }

  async #open(slot: Slot): Promise<void> {
    if (slot.lane !== undefined) return;
    slot.opening += 1;
    const { hello, socket } = await this.#owner.dial(slot.settings).finally(() => {
      slot.opening -= 1;
    });
    if (slot.lane !== undefined || this.#owner.isRetired()) {
      socket.destroy();
      return;
    }
    slot.hello = hello;
    slot.failures = 0;
    slot.refused = undefined;
    this.reachable = true;
    slot.lane = new Lane(socket, this.#owner.arenas, this.#owner.permits, {
      closed: () => {
        slot.lane = undefined;
        this.reachable = this.#lanes.length > 0;
        this.#owner.changed();
      },
      idle: (lane) => {
        if (this.#owner.isRetired()) lane.destroy();
      },
      drained: () => {
        this.#owner.changed();
      },
    });
  }
}

interface Slot {
  readonly settings: ConnectionSettings;
  lane: Lane | undefined;
  hello: Buffer;
  /** The engine's error when it does not know the database. */
  refused: Buffer | undefined;
  dialling: boolean;
  /** Connections that are being made for it. */
  opening: number;
  failures: number;
}

const FIRST_RETRY_MS = 10;
const LAST_RETRY_MS = 250;
