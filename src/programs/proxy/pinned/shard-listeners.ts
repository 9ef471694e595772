import { Fault } from "#kit/base/fault";
import { slotOf } from "../../../core/slots/slot.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { isKeptByAll, Subscriptions } from "../protocol/subscriptions.ts";
import { confirmationsOf } from "../protocol/confirmations.ts";
import { replies } from "../protocol/replies.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { routeTo } from "../upstream/only-route.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Pinned } from "./pinned.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { ShardListener } from "./shard-listener.ts";

/**
 * The connections over which a client of several shards gets messages: one to each shard while it has subscribed to a channel or a pattern, as
 * whatever is published at a shard, by a script too, is known there alone; for the channels of `SSUBSCRIBE`, one to the shard of their slot.
 */
export class ShardListeners {
  /** What the client has subscribed to. */
  readonly subscriptions = new Subscriptions();
  readonly #parts: PinnedParts;
  /** By the place of the shard. */
  readonly #at = new Map<number, ShardListener>();
  /** Messages that wait until no reply is on its way in parts. */
  readonly #due: Buffer[] = [];
  #isChanging = false;

  constructor(parts: PinnedParts) {
    this.#parts = parts;
  }

  /** The client is about to be sent messages: no request can be taken before. */
  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** It takes nothing but the commands of subscribers. */
  get isLimited(): boolean {
    return this.subscriptions.size > 0 && this.#parts.identity.settings.protocol === 2;
  }

  /** Those to this primary. */
  at(primary: PrimaryView): readonly Pinned[] {
    const { endpoint } = this.#parts;
    return [...this.#at].flatMap(([shard, { pinned }]) => (routeTo(endpoint, shard) === primary ? pinned : []));
  }

  /** Carries out a command about subscriptions, which has the right number of words; resolves with the confirmations, or with one error. */
  async change(args: readonly Buffer[], command: CommandEntry): Promise<readonly Buffer[]> {
    this.#isChanging = true;
    const { name } = command;
    const channels = this.#channelsIn(args, name);
    const shards = this.#shardsOf(channels, name);
    const refusal = name.includes("UNSUB") ? undefined : await this.#connect([...shards.keys()]);
    const found = refusal === undefined ? await this.#askAll(shards, command) : [refusal];
    this.#isChanging = false;
    const error = found.find((one) => one !== undefined);
    if (error !== undefined && refusal === undefined) this.#parts.life.cut("a shard has not taken its subscription");
    if (error !== undefined) return [error];
    return confirmationsOf(this.subscriptions, name, channels, this.#parts.identity.settings.protocol);
  }

  /** Replies have arrived, or the client has read some: what waits goes out, if it can. */
  settled(): void {
    if (this.#at.size === 0 || this.#isChanging || this.#parts.shared.hasPending) return;
    for (const message of this.#due.splice(0)) this.#parts.output.push(message);
    if (!this.#parts.output.congested) this.resume();
  }

  /** The client does not read what it is sent. */
  pause(): void {
    for (const { pinned } of this.#at.values()) pinned.pause();
  }

  resume(): void {
    for (const { pinned } of this.#at.values()) pinned.resume();
  }

  /** The client needs none of them any more. */
  drop(): void {
    this.#due.length = 0;
    for (const shard of [...this.#at.keys()]) this.#leave(shard);
    this.subscriptions.clear();
  }

  /** The channels that a command is about; those that the client has, where it names none. */
  #channelsIn([, ...named]: readonly Buffer[], name: string): readonly Buffer[] {
    return named.length > 0 ? named : this.subscriptions.named(name);
  }

  /** What each shard is to be asked about. */
  #shardsOf(channels: readonly Buffer[], name: string): ReadonlyMap<number, readonly Buffer[]> {
    const { table, routes } = this.#parts.endpoint;
    if (channels.length === 0) return new Map();
    if (isKeptByAll(name)) return new Map(routes.map((_, shard) => [shard, channels]));
    return Map.groupBy(channels, (channel) => table?.[slotOf(channel)] ?? 0);
  }

  async #askAll(
    shards: ReadonlyMap<number, readonly Buffer[]>,
    command: CommandEntry,
  ): Promise<readonly (Buffer | undefined)[]> {
    return Promise.all(
      [...shards].map(async ([shard, channels]) => {
        const listener = this.#at.get(shard);
        return listener?.ask(encodeCommand([command.name, ...channels]), command, channels.length);
      }),
    );
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
    while (!life.ended) {
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
      if (life.ended || primary.upstream !== upstream || primary.held) {
        upstream.pins.giveBack(pin);
        return false;
      }
      const message = (frame: Buffer): void => {
        this.#deliver(frame);
      };
      const left = (): void => {
        this.#leave(shard);
      };
      this.#at.set(shard, new ShardListener(this.#parts, { shard, pin, upstream, message, left }));
      endpoint.counters.pins++;
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return false;
    }
  }

  #deliver(message: Buffer): void {
    const { output, shared } = this.#parts;
    // a copy: the engine's bytes are used again
    if (this.isDue || this.#isChanging || shared.hasPending) this.#due.push(Buffer.from(message));
    else output.push(message);
    if (this.isDue || output.congested) this.pause();
  }

  #leave(shard: number): void {
    const listener = this.#at.get(shard);
    if (listener === undefined) return;
    this.#at.delete(shard);
    this.#parts.endpoint.counters.pins--;
    listener.pinned.dispose();
  }
}

const RETRY_MS = 20;
