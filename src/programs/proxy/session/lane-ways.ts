import type { PrimaryView } from "../upstream/primary-view.ts";

/** The ways of a session's requests through lanes, to the only shard of its database or to several. */
export interface LaneWays {
  /** Gives what the proxy answers itself its place behind the requests that are not answered; false when it has none there. */
  answerBehind(reply: Buffer): boolean;
  /** Whether a request of the client is at this primary. */
  isBusyAt(primary: PrimaryView): boolean;
}

/** The same of the only shard: what comes over its lane is passed on at once, so that nothing has a place behind it. */
export class OnlyWay implements LaneWays {
  readonly #shared: { readonly inFlight: number };

  constructor(shared: { readonly inFlight: number }) {
    this.#shared = shared;
  }

  answerBehind(): boolean {
    return false;
  }

  isBusyAt(): boolean {
    return this.#shared.inFlight > 0;
  }
}
