import { isBusyReply } from "../protocol/refusals.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { notWithShards, replies } from "../protocol/replies.ts";
import { dialRefusal } from "../upstream/engine-connection.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { OtherShards } from "./other-shards.ts";
import { Pinned } from "./pinned.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { ShardListeners } from "./shard-listeners.ts";
import { partsAtShard } from "./shard-parts.ts";
import { routeTo } from "../upstream/only-route.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";

/** The way of a session's requests through a connection of its own, for as long as it needs one. */
export class PinnedRoute {
  /** Undefined while the session shares a lane. */
  current: Pinned | undefined;
  /** The connections over which the client of several shards gets messages; undefined where there is one shard. */
  listeners: ShardListeners | undefined;
  readonly #parts: PinnedParts;
  /** The place of the shard that the connection is to. */
  #shard = 0;
  /** The slot of what the client watches, or has queued. */
  #slot: number | undefined;
  /** Why the engine does not give a connection now. */
  #refusal: Buffer | undefined;

  constructor(parts: PinnedParts) {
    this.#parts = parts;
    this.listeners = parts.endpoint.table === undefined ? undefined : new ShardListeners(parts);
  }

  /** The place of the shard that the session has a connection of its own to; undefined: it has none. */
  get shard(): number | undefined {
    return this.current === undefined ? undefined : this.#shard;
  }

  set shard(shard: number) {
    this.#shard = shard;
  }

  /**
   * Where there are several shards, the slot of the keys that the client watches, and of those in its transaction; undefined once that is over, although
   * the connection may be kept for a while.
   */
  get slot(): number | undefined {
    return this.current?.work.transactionPending === true ? this.#slot : undefined;
  }

  set slot(slot: number | undefined) {
    this.#slot = slot;
  }

  /** All connections of its own that the session has to this primary. */
  allAt(primary: PrimaryView): readonly Pinned[] {
    const { current } = this;
    const isAt = current !== undefined && routeTo(this.#parts.endpoint, this.#shard) === primary;
    const own = isAt ? [current] : NONE;
    return this.listeners === undefined ? own : [...own, ...this.listeners.at(primary)];
  }

  /** The client does not read what it is sent. */
  pause(): void {
    this.current?.pause();
    this.listeners?.pause();
  }

  resume(): void {
    this.current?.resume();
    this.listeners?.readOn();
  }

  /** Takes one request where there is one shard, as `takeAt`; where there are several it is refused, as no shard is known for it. */
  take(request: Buffer, command: CommandEntry): boolean {
    const { endpoint, turns } = this.#parts;
    return endpoint.table === undefined ? this.takeAt(0, request, command) : turns.answer(notWithShards(command.name));
  }

  /**
   * Takes one request for the shard at this place, after making the connection when there is none; false when it cannot be sent now, as long as
   * the connection is to another shard. `objection`: why it is not queued in the transaction of the client, which fails.
   */
  takeAt(shard: number, request: Buffer, command: CommandEntry, objection?: Buffer): boolean {
    const parts = this.#parts;
    const primary = routeTo(parts.endpoint, shard);
    // clients of other shards go on: only where there is no other one, nothing is offered meanwhile
    if (primary.held) return false;
    if (this.current !== undefined) {
      // requests to other shards may go past a connection that only watches keys: their replies come first
      const isNext = this.#shard === shard && !parts.shared.hasPending;
      return isNext && this.current.take(request, command, objection);
    }
    if (parts.work.hasPending) return false;
    return this.#takeFirst(shard, primary, request, command);
  }

  #takeFirst(shard: number, primary: PrimaryView, request: Buffer, command: CommandEntry): boolean {
    const parts = this.#parts;
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal !== undefined) return parts.turns.answer(refusal);
    const { upstream } = primary;
    if (upstream === undefined || !upstream.lanes.reachable) {
      if (primary.unavailable) return parts.turns.answer(primary.refusal);
      upstream?.lanes.choose(parts.identity.settings);
      return false;
    }
    if (!parts.endpoint.mayPin) return parts.turns.answer(replies.tooManyPins);
    const pin = upstream.pins.take(parts.identity.settings);
    if (pin === undefined) {
      parts.turns.waitFor(this.#dial(upstream));
      return false;
    }
    this.#shard = shard;
    this.#slot = undefined;
    this.current = new Pinned(
      partsAtShard(parts, () => this.#shard),
      pin,
      upstream,
    );
    parts.endpoint.counters.pins++;
    return this.current.take(request, command);
  }

  /**
   * Goes on at the shard at this place with the transaction of the client, whose requests are all queued, and none has a key; or, when the database
   * has `others`, where they say once nothing is at the engine of before.
   */
  moveTo(shard: number, others?: OtherShards): void {
    this.#shard = shard;
    this.current?.changeShard(others);
  }

  /** The session can share a lane again. */
  leave(): void {
    this.#drop();
    this.#parts.shared.leaveLane();
  }

  /** The session needs no connection of its own any more, or ends. */
  release(): void {
    this.#drop();
    this.listeners?.drop();
  }

  #drop(): void {
    const { current } = this;
    if (current === undefined) return;
    this.current = undefined;
    this.#parts.endpoint.counters.pins--;
    current.dispose();
  }

  /** Makes an idle connection, which the session then takes. */
  async #dial(upstream: Upstream): Promise<void> {
    const { clock } = this.#parts.endpoint;
    try {
      const pin = await upstream.pins.dial(this.#parts.identity.settings);
      if (this.#parts.life.ended) pin.destroy();
      else upstream.pins.giveBack(pin);
    } catch (error) {
      const refusal = dialRefusal(error);
      if (refusal !== undefined && isBusyReply(refusal) && !upstream.busy.spares(clock.uptimeMs(), true))
        this.#refusal = refusal;
      // the engine cannot be reached: the session asks again, until the endpoint says that there is no primary
      else await clock.sleep(RETRY_MS);
    }
  }
}

const RETRY_MS = 50;
const NONE: readonly Pinned[] = [];
