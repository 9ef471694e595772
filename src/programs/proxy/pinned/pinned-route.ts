import { isBusyReply } from "../protocol/refusals.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { notWithShards, replies } from "../protocol/replies.ts";
import { dialRefusal } from "../upstream/engine-connection.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Pinned } from "./pinned.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/** The way of a session's requests through a connection of its own, for as long as it needs one. */
export class PinnedRoute {
  /** Undefined while the session shares a lane. */
  current: Pinned | undefined;
  readonly #parts: PinnedParts;
  /** Why the engine does not give a connection now. */
  #refusal: Buffer | undefined;

  constructor(parts: PinnedParts) {
    this.#parts = parts;
  }

  /** Takes one request, after making the connection when there is none; false when it cannot be sent now. */
  take(request: Buffer, command: CommandEntry): boolean {
    if (this.current !== undefined) return this.current.take(request, command);
    const parts = this.#parts;
    if (parts.work.hasPending) return false;
    if (parts.endpoint.table !== undefined) return parts.turns.answer(notWithShards(command.name));
    const primary = onlyRoute(parts.endpoint);
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal !== undefined) return parts.turns.answer(refusal);
    const { upstream } = primary;
    if (upstream === undefined || !upstream.lanes.reachable) {
      if (primary.unavailable) return parts.turns.answer(primary.refusal);
      parts.shared.usableLane();
      return false;
    }
    if (!parts.endpoint.mayPin) return parts.turns.answer(replies.tooManyPins);
    const pin = upstream.pins.take(parts.identity.settings);
    if (pin === undefined) {
      parts.turns.waitFor(this.#dial(upstream));
      return false;
    }
    this.current = new Pinned(parts, pin, upstream);
    parts.endpoint.counters.pins++;
    return this.current.take(request, command);
  }

  /** The session can share a lane again. */
  leave(): void {
    this.release();
    this.#parts.shared.leaveLane();
  }

  /** The session needs no connection of its own any more, or ends. */
  release(): void {
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
