import { backoffMs } from "../../../core/base/backoff.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { connectEngine } from "../../../ports/resp/engine-client.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { ArenaPool } from "./arena.ts";
import { dialBackend, refusalOf } from "./engine-connection.ts";
import { Lane } from "./lane.ts";
import type { Lease } from "../timing/lease.ts";
import { Pin } from "./pin.ts";
import type { ScriptCache } from "./script-cache.ts";
import { after } from "../timing/timer.ts";

/** What all endpoints of a proxy share. */
export interface UpstreamContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly arenas: ArenaPool;
  readonly scripts: ScriptCache;
  readonly lease: Lease;
  readonly password: () => string;
  /** Something became possible: a lane is ready, or takes requests again. */
  readonly changed: () => void;
}

/** A client's place: those with the same protocol version and database share a lane. */
export interface Place {
  readonly protocol: number;
  readonly database: number;
}

/** Name of the lane of a place. */
export function laneName({ protocol, database }: Place): string {
  return `${protocol}:${database}`;
}

/** True for the engine at this address. */
export function isAt(upstream: Upstream | undefined, { host, port }: Address): boolean {
  return upstream !== undefined && upstream.address.host === host && upstream.address.port === port;
}

/** What can be had for a place: a lane, the engine's refusal, or nothing yet. */
export type LaneChoice = { readonly lane: Lane; readonly hello: Buffer } | { readonly refused: Buffer } | undefined;

/** All connections of one endpoint to one engine. */
export class Upstream {
  readonly address: Address;
  retired = false;
  /** True while there is a lane: the engine was there when last seen. */
  reachable = false;
  readonly #context: UpstreamContext;
  readonly #slots = new Map<string, Slot>();
  readonly #pins = new Set<Pin>();
  readonly #idlePins: Pin[] = [];
  readonly #givenScripts = new Set<string>();
  #control: Promise<EngineClient> | undefined;
  #cancelDeadline: () => void = () => undefined;

  constructor(address: Address, context: UpstreamContext) {
    this.address = address;
    this.#context = context;
  }

  /** A lane for the place; when there is none it is dialled, and `changed` tells that to ask again is worthwhile. */
  choose(place: Place): LaneChoice {
    const slot = this.#slot(place);
    if (slot.lane !== undefined) return { lane: slot.lane, hello: slot.hello };
    if (slot.refused !== undefined) return { refused: slot.refused };
    if (!slot.dialling && !this.retired) void this.#dial(slot);
    return undefined;
  }

  /** The places that are served. */
  get places(): readonly Place[] {
    return [...this.#slots.values()].filter((slot) => slot.lane !== undefined).map((slot) => slot.place);
  }

  get inFlight(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.inFlight, 0);
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    for (const lane of this.#lanes) lane.flush();
  }

  /** Lanes for all these places, a control connection and the scripts: all that a switchover needs. Throws when one fails. */
  async warm(places: readonly Place[]): Promise<void> {
    await Promise.all(places.map((place) => this.#open(this.#slot(place))));
    await this.giveScripts();
  }

  /** Loads the scripts that this engine has not been given yet. */
  async giveScripts(): Promise<void> {
    const missing = this.#context.scripts.entries().filter(([sha]) => !this.#givenScripts.has(sha));
    const control = await this.control();
    for (const [sha] of missing) this.#givenScripts.add(sha);
    await Promise.all(missing.map(([, body]) => control.call("SCRIPT", "LOAD", body)));
  }

  /** A control connection, kept open. */
  control(): Promise<EngineClient> {
    this.#control ??= this.#connectControl();
    return this.#control;
  }

  /** A connection for one client: a used one that is as good as new, if there is one. */
  takePin(place: Place): Pin | undefined {
    const at = this.#idlePins.findIndex((pin) => pin.lane === laneName(place));
    return at < 0 ? undefined : this.#idlePins.splice(at, 1)[0];
  }

  async dialPin(place: Place): Promise<Pin> {
    const backend = await this.#backend(place);
    const pin: Pin = new Pin(backend, laneName(place), this.#context.lease, () => this.#pins.delete(pin));
    this.#pins.add(pin);
    return pin;
  }

  /** Dials a connection for each of these clients ahead of its need, as far as that is possible in half a second. */
  async stock(clients: readonly Place[]): Promise<void> {
    const left = [...clients];
    const deadline = performance.now() + STOCK_MS;
    const dial = async (): Promise<void> => {
      for (let place = left.pop(); place !== undefined; place = left.pop()) {
        if (this.#isOver() || performance.now() > deadline) return;
        this.#keepIdle(await this.dialPin(place));
      }
    };
    await Promise.all(Array.from({ length: DIALS_AT_ONCE }, dial));
  }

  /** Takes back a pin that its client needs no more. */
  returnPin(pin: Pin): void {
    pin.attach(undefined);
    if (pin.tainted || pin.closed || this.retired || this.#idlePins.length >= MOST_IDLE_PINS) pin.destroy();
    else this.#keepIdle(pin);
  }

  /** Takes no more requests; what is in flight may be answered for `graceMs` more. */
  retire(graceMs: number): void {
    if (this.retired) return;
    this.retired = true;
    for (const pin of this.#idlePins.splice(0)) pin.destroy();
    for (const lane of this.#lanes) if (lane.inFlight === 0) lane.destroy();
    this.#cancelDeadline = after(this.#context.clock, graceMs, () => {
      this.destroy();
    });
  }

  /** Ends every connection at once, those that clients have for themselves too: what is in flight has no outcome. */
  sever(): void {
    this.destroy();
    for (const pin of this.#pins) pin.sever();
  }

  destroy(): void {
    this.retired = true;
    this.#cancelDeadline();
    for (const pin of this.#idlePins.splice(0)) pin.destroy();
    for (const lane of this.#lanes) lane.destroy();
    void this.#control?.then(
      (control) => {
        control.close();
      },
      () => undefined, // it was never connected
    );
  }

  get #lanes(): readonly Lane[] {
    return [...this.#slots.values()].map((slot) => slot.lane).filter((lane) => lane !== undefined);
  }

  #slot(place: Place): Slot {
    const name = laneName(place);
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot: Slot = {
      place,
      lane: undefined,
      hello: Buffer.alloc(0),
      refused: undefined,
      dialling: false,
      failures: 0,
    };
    this.#slots.set(name, slot);
    return slot;
  }

  async #dial(slot: Slot): Promise<void> {
    slot.dialling = true;
    try {
      await this.#open(slot);
      slot.dialling = false;
      this.#context.changed();
    } catch (error) {
      slot.refused = slot.place.database > 0 ? refusalOf(error) : undefined;
      slot.failures += 1;
      if (slot.failures === WORTH_TELLING) {
        this.#context.log.warn("engine cannot be reached", { ...this.address, error });
      }
      after(this.#context.clock, backoffMs(slot.failures, FIRST_RETRY_MS, LAST_RETRY_MS), () => {
        slot.dialling = false;
        if (!this.retired) this.#context.changed();
      });
      if (slot.refused !== undefined) this.#context.changed();
    }
  }

  async #open(slot: Slot): Promise<void> {
    if (slot.lane !== undefined) return;
    const backend = await this.#backend(slot.place);
    if (slot.lane !== undefined || this.#isOver()) {
      backend.socket.destroy();
      return;
    }
    slot.hello = backend.hello;
    slot.failures = 0;
    slot.refused = undefined;
    this.reachable = true;
    slot.lane = new Lane(backend.socket, this.#context.arenas, this.#context.lease, {
      closed: () => {
        slot.lane = undefined;
        this.reachable = this.#lanes.length > 0;
        this.#context.changed();
      },
      idle: (lane) => {
        if (this.retired) lane.destroy();
      },
      drained: () => {
        this.#context.changed();
      },
    });
  }

  /** Read anew: it may change while something is awaited. */
  #isOver(): boolean {
    return this.retired;
  }

  #backend({ protocol, database }: Place) {
    const password = this.#context.password();
    return dialBackend({ address: this.address, password, protocol, database, timeoutMs: DIAL_TIMEOUT_MS });
  }

  async #connectControl(): Promise<EngineClient> {
    try {
      const control = await connectEngine({
        ...this.address,
        password: this.#context.password(),
        timeoutMs: CONTROL_TIMEOUT_MS,
      });
      void control.closed.then(() => {
        this.#control = undefined;
      });
      return control;
    } catch (error) {
      this.#control = undefined;
      throw error;
    }
  }

  #keepIdle(pin: Pin): void {
    const drop = (): void => {
      this.#dropPin(pin);
    };
    this.#idlePins.push(pin);
    pin.attach({ frame: drop, closed: drop });
    if (this.retired) drop();
  }

  #dropPin(pin: Pin): void {
    const at = this.#idlePins.indexOf(pin);
    if (at >= 0) this.#idlePins.splice(at, 1);
    pin.destroy();
  }
}

interface Slot {
  readonly place: Place;
  lane: Lane | undefined;
  hello: Buffer;
  /** The engine's error when it does not know the database. */
  refused: Buffer | undefined;
  dialling: boolean;
  failures: number;
}

const DIAL_TIMEOUT_MS = 2000;
const CONTROL_TIMEOUT_MS = 5000;
/** An engine that is being started refuses for a moment: only this many failures in a row are worth a line of log. */
const WORTH_TELLING = 8;
const FIRST_RETRY_MS = 10;
const LAST_RETRY_MS = 250;
const MOST_IDLE_PINS = 32;
const STOCK_MS = 500;
const DIALS_AT_ONCE = 16;
