import { Fault } from "#kit/base/fault";
import { slotOf } from "../../../core/slots/slot.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { isKeptByAll } from "../protocol/subscriptions.ts";
import { confirmationsOf } from "../protocol/confirmations.ts";
import { replies } from "../protocol/replies.ts";
import type { CommandClass, CommandEntry } from "../protocol/table/entry.ts";
import { routeTo } from "../upstream/only-route.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { ListenerState } from "./listener-state.ts";
import type { Pinned } from "./pinned.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { ShardListener, type ListenerOwner } from "./shard-listener.ts";

/** A request for one shard, by its place. */
interface ShardRequest {
  readonly shard: number;
  readonly request: Buffer;
}

interface AskedShard extends ShardRequest {
  /** How many it gives. */
  readonly replies: number;
}

/**
 * The connections over which a client of several shards gets messages: one to each shard while it has subscribed to a channel or a pattern, as
 * whatever is published at a shard, by a script too, is known there alone; for the channels of `SSUBSCRIBE`, one to the shard of their slot.
 */
export class ShardListeners {
  readonly state = new ListenerState();
  readonly #parts: PinnedParts;
  /** By the place of the shard. */
  readonly #at = new Map<number, ShardListener>();
  /** Messages that wait until no reply is on its way in parts. */
  readonly #due: Buffer[] = [];
  /** A request about this is not answered: what comes behind its reply must wait. */
  #isAsking = false;
  /** The shards do not serve yet: messages wait until the client reads on from here. */
  #isAhead: boolean;
  #isOver = false;

  /** `isAhead`: the shards are to serve, and do not yet. */
  constructor(parts: PinnedParts, isAhead = false) {
    this.#parts = parts;
    this.#isAhead = isAhead;
  }

  /** The client is about to be sent messages: no request can be taken before. */
  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Those to this primary. */
  at(primary: PrimaryView): readonly Pinned[] {
    return [...this.#at.values()].flatMap((listener) => (listener.primary === primary ? listener.pinned : []));
  }

  /**
   * Takes over the connections of a former table to shards that are kept, with what waits there. `places`: of these shards, by their places in that table.
   */
  adopt(former: ShardListeners, places: ReadonlyMap<number, number>): void {
    for (const message of former.#due.splice(0)) this.#due.push(message);
    for (const [before, shard] of places) {
      const listener = former.#at.get(before);
      if (listener === undefined) continue;
      former.#at.delete(before);
      listener.giveTo(this.#ownerAt(shard));
      this.#at.set(shard, listener);
    }
  }

  /**
   * Carries out a command about subscriptions, which has the right number of words; resolves with the confirmations, or with one error. The shards at the
   * places of `knowing` know it already.
   */
  async change(
    args: readonly Buffer[],
    command: CommandEntry,
    knowing: ReadonlySet<number> = NONE,
  ): Promise<readonly Buffer[]> {
    const { name } = command;
    const [, ...named] = args;
    const channels = named.length > 0 ? named : this.state.subscriptions.named(name);
    const shards = [...this.#shardsOf(channels, name)].filter(([shard]) => !knowing.has(shard));
    const asked = shards.map(([shard, each]) => ({
      shard,
      request: encodeCommand([name, ...each]),
      replies: each.length,
    }));
    const error = failureIn(await this.#ask(asked, command, !name.includes("UNSUB")));
    return error === undefined
      ? confirmationsOf(this.state.subscriptions, name, channels, this.#parts.identity.settings.protocol)
      : [error];
  }

  /** Asks each shard, but not those at the places of `knowing`; resolves with the replies of all, or with one error. */
  async askEach(
    request: Buffer,
    command: CommandEntry,
    knowing: ReadonlySet<number> = NONE,
  ): Promise<readonly Buffer[]> {
    const asked = this.#parts.endpoint.routes.map((_, shard) => ({ shard, request, replies: 1 }));
    return this.#ask(
      asked.filter(({ shard }) => !knowing.has(shard)),
      command,
      true,
    );
  }

  /** Reads parts of a request over the connections that get the invalidations; resolves with the replies to the parts, or with one error. */
  async read(parts: readonly ShardRequest[], command: CommandEntry): Promise<readonly Buffer[]> {
    const { caching } = this.state;
    this.state.caching = undefined;
    if (caching !== undefined) {
      const found = await this.#ask(
        parts.map(({ shard }) => ({ shard, request: caching, replies: 1 })),
        CACHING,
        true,
      );
      const error = failureIn(found);
      if (error !== undefined) return [error];
    }
    return this.#ask(
      parts.map((part) => ({ ...part, replies: 1 })),
      command,
      true,
    );
  }

  /** Ends the wait of a request that blocks; false when none does. */
  async unblock(how: "TIMEOUT" | "ERROR"): Promise<boolean> {
    const ended = await Promise.all([...this.#at.values()].map(({ pinned }) => pinned.unblock(how)));
    return ended.includes(true);
  }

  /** The client waits for no reply about this any more: what came behind goes out, if it can. */
  settled(): void {
    this.#isAsking = false;
    if (this.#at.size > 0 || this.isDue) this.readOn();
  }

  /** Sends on what waits, as far as the client reads it and no reply is on its way. */
  readOn(): void {
    this.#isAhead = false;
    if (this.#isAsking || this.#parts.shared.hasPending) return;
    for (const message of this.#due.splice(0)) this.#parts.output.push(message);
    if (this.#parts.output.congested) return;
    for (const { pinned } of this.#at.values()) pinned.resume();
  }

  /** The client does not read what it is sent, or is not sent it yet. What it awaits is read all the same. */
  pause(): void {
    for (const { pinned, isAsked } of this.#at.values()) if (!isAsked) pinned.pause();
  }

  /** The client needs none of them any more. */
  drop(): void {
    this.#isOver = true;
    this.#due.length = 0;
    for (const shard of [...this.#at.keys()]) this.#leave(shard);
    this.state.subscriptions.clear();
    this.state.tracking.clear();
    this.state.isMonitoring = false;
    this.state.caching = undefined;
  }

  /** What each shard is to be asked about. */
  #shardsOf(channels: readonly Buffer[], name: string): ReadonlyMap<number, readonly Buffer[]> {
    const { table, routes } = this.#parts.endpoint;
    if (channels.length === 0) return new Map();
    if (isKeptByAll(name)) return new Map(routes.map((_, shard) => [shard, channels]));
    return Map.groupBy(channels, (channel) => table?.[slotOf(channel)] ?? 0);
  }

  /** The replies of the shards that have a connection, or get one when it `connects`; one error, and what was connected stays as it was before. */
  async #ask(asked: readonly AskedShard[], command: CommandEntry, connects: boolean): Promise<readonly Buffer[]> {
    this.#isAsking = true;
    const refusal = connects ? await this.#connect(asked.map(({ shard }) => shard)) : undefined;
    if (refusal !== undefined) return [refusal];
    const found = await Promise.all(asked.map((one) => this.#askOne(one, command, connects)));
    const known = found.filter((reply) => reply !== undefined);
    const failed = known.filter((reply) => reply[0] === MINUS);
    // what some have done has changed what the client gets
    if (CHANGING.has(command.commandClass) && failed.length > 0 && failed.length < known.length)
      this.#parts.life.cut(`not all shards have taken its ${command.name}`);
    return known;
  }

  /** The reply of a shard; undefined when it has no connection, and gets none. */
  async #askOne(
    { shard, request, replies: count }: AskedShard,
    command: CommandEntry,
    connects: boolean,
  ): Promise<Buffer | undefined> {
    const reply = await this.#at.get(shard)?.ask(request, command, count);
    if (reply !== undefined || !connects || this.#isOver || this.#parts.life.ended) return reply;
    // its primary has moved since it was connected
    const refusal = await this.#connectTo(shard);
    return refusal ?? this.#askOne({ shard, request, replies: count }, command, connects);
  }

  /** Makes the connections that are missing, all of them or none; why that cannot be. */
  async #connect(shards: readonly number[]): Promise<Buffer | undefined> {
    const missing = shards.filter((shard) => !this.#at.has(shard));
    const refusals = await Promise.all(missing.map((shard) => this.#connectTo(shard)));
    const refusal = refusals.find((one) => one !== undefined);
    if (refusal !== undefined) for (const shard of missing) this.#leave(shard);
    return refusal;
  }

  async #connectTo(shard: number): Promise<Buffer | undefined> {
    const { endpoint, life } = this.#parts;
    const primary = routeTo(endpoint, shard);
    while (!life.ended && !this.#isOver) {
      if (primary.unavailable) return primary.refusal;
      if (!endpoint.mayPin) return replies.tooManyPins;
      if (await this.#tryAt(shard, primary)) return undefined;
      // the endpoint says when there is no primary for too long
      await endpoint.clock.sleep(RETRY_MS);
    }
    return undefined;
  }

  async #tryAt(shard: number, primary: PrimaryView): Promise<boolean> {
    const { endpoint, identity, life } = this.#parts;
    const { upstream } = primary;
    if (upstream === undefined || primary.held) return false;
    try {
      const pin = await upstream.pins.takeOrDial(identity.settings);
      if (life.ended || this.#isOver || primary.upstream !== upstream || primary.held) {
        upstream.pins.giveBack(pin);
        return false;
      }
      this.#at.set(shard, new ShardListener(this.#parts, { shard, pin, upstream }, this.#ownerAt(shard)));
      endpoint.counters.pins++;
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return false;
    }
  }

  #ownerAt(shard: number): ListenerOwner {
    return {
      message: (frame) => {
        this.#deliver(frame, this.#at.get(shard)?.isAsked === true);
      },
      left: () => {
        this.#leave(shard);
      },
    };
  }

  /** What stands before the reply that a shard is asked for comes before it, what stands behind it comes behind what is made of all replies. */
  #deliver(message: Buffer, isBeforeReply: boolean): void {
    const { output, shared } = this.#parts;
    const mustWait = this.isDue || this.#isAsking;
    // a copy: the engine's bytes are used again
    if (shared.hasPending || this.#isAhead || (mustWait && !isBeforeReply)) this.#due.push(Buffer.from(message));
    else output.push(message);
    if (this.isDue || output.congested) this.pause();
  }

  #leave(shard: number): void {
    const listener = this.#at.get(shard);
    if (listener === undefined) return;
    this.#at.delete(shard);
    this.#parts.endpoint.counters.pins--;
    listener.end();
  }
}

function failureIn(found: readonly Buffer[]): Buffer | undefined {
  return found.find((reply) => reply[0] === MINUS);
}

const NONE: ReadonlySet<number> = new Set();
const RETRY_MS = 20;
const MINUS = 45;
const CACHING: CommandEntry = { name: "CLIENT|CACHING", commandClass: "caching", note: "" };
/** What engines keep of these is for later. */
const CHANGING: ReadonlySet<CommandClass> = new Set(["subscription", "tracking", "monitor"]);
