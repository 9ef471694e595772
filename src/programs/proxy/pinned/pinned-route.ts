import { isBusy } from "../protocol/refusals.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { replies } from "../protocol/replies.ts";
import { dialRefusal } from "../upstream/engine-connection.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Pinned } from "./pinned.ts";
import type { PinnedOwner } from "./pinned-owner.ts";

/** What the route needs of the session that it belongs to, beyond what a pinned session needs. */
export interface PinnedRouteOwner extends PinnedOwner {
  /** The client waits for a reply. */
  readonly hasPending: boolean;
  /** Makes a lane be dialled, so that it becomes known whether there is a primary. */
  wakeUpstream(): void;
}

/** The way of a session's requests through a connection of its own, for as long as it needs one. */
export class PinnedRoute {
  /** Undefined while the session shares a lane. */
  current: Pinned | undefined;
  readonly #owner: PinnedRouteOwner;
  /** Why the engine does not give a connection now. */
  #refusal: Buffer | undefined;

  constructor(owner: PinnedRouteOwner) {
    this.#owner = owner;
  }

  /** Takes one request, after making the connection when there is none; false when it cannot be sent now. */
  take(request: Buffer, command: CommandEntry): boolean {
    if (this.current !== undefined) return this.current.take(request, command);
    const owner = this.#owner;
    const { primary } = owner.endpoint;
    if (owner.hasPending) return false;
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal !== undefined) return owner.answer(refusal);
    const { upstream } = primary;
    if (upstream === undefined || !upstream.lanes.reachable) {
      if (primary.unavailable) return owner.answer(primary.refusal);
      owner.wakeUpstream();
      return false;
    }
    if (!owner.endpoint.mayPin) return owner.answer(replies.tooManyPins);
    const pin = upstream.pins.take(owner.identity.settings);
    if (pin === undefined) {
      owner.waitFor(this.#dial(upstream));
      return false;
    }
    this.current = new Pinned(owner, pin, upstream);
    owner.endpoint.counters.pins++;
    return this.current.take(request, command);
  }

  /** The session can share a lane again, or ends. */
  release(): void {
    const { current } = this;
    if (current === undefined) return;
    this.current = undefined;
    this.#owner.endpoint.counters.pins--;
    current.dispose();
  }

  /** Makes an idle connection, which the session then takes. */
  async #dial(upstream: Upstream): Promise<void> {
    const { clock } = this.#owner.endpoint;
    try {
      const pin = await upstream.pins.dial(this.#owner.identity.settings);
      if (this.#owner.ended) pin.destroy();
      else upstream.pins.giveBack(pin);
    } catch (error) {
      const refusal = dialRefusal(error);
      if (refusal !== undefined && isBusy(refusal) && !upstream.busy.spares(clock.uptimeMs(), true))
        this.#refusal = refusal;
      // the engine cannot be reached: the session asks again, until the endpoint says that there is no primary
      else await clock.sleep(RETRY_MS);
    }
  }
}

const RETRY_MS = 50;
