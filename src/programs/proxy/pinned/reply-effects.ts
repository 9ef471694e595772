import type { Pin } from "../upstream/pin.ts";
import type { ConnectionState } from "./connection-state.ts";
import { settleLogin } from "./settle-login.ts";
import { LearntScripts } from "./learnt-scripts.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PinnedOwner } from "./pinned-owner.ts";

/** What a reply that counts changes, beside what its client gets. */
export class ReplyEffects {
  readonly #owner: PinnedOwner;
  readonly #state: ConnectionState;
  readonly #scripts: LearntScripts;

  constructor(owner: PinnedOwner, state: ConnectionState) {
    this.#owner = owner;
    this.#state = state;
    this.#scripts = new LearntScripts(owner.endpoint.scripts);
  }

  /** Applies a reply that has come over `pin`, or over one that is gone. */
  apply(pending: PendingRequest, frame: Buffer, pin: Pin | undefined): void {
    this.#state.apply(pending, frame, this.#owner.identity);
    this.#scripts.apply(pending, frame);
    settleLogin(this.#owner, pending, frame);
    if (pin !== undefined) {
      pin.tainted ||= this.#state.irreversible;
      pin.monitoring = this.#state.monitoring;
    }
    pending.own?.settled(frame);
  }
}
