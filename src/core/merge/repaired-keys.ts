import type { Effect } from "./operations/operation.ts";
import type { PendingApplies } from "./saved/pending-applies.ts";
import { partHidden, type PartlyHidden } from "./state/hidden-members.ts";
import type { MergedState } from "./state/merged-state.ts";

/** Keys that the site has to write again, so that a read may not show what clients did to them. */
export class RepairedKeys {
  readonly #state: MergedState;
  readonly #pending: PendingApplies;

  constructor(state: MergedState, pending: PendingApplies) {
    this.#state = state;
    this.#pending = pending;
  }

  /** What a client did to the key may be hidden now: a read would take what was there before for what is there now. */
  isBeingRepaired(key: string): boolean {
    return this.#pending.due.isHidden(key);
  }

  /** Parts what a read of these members of such a key has found. */
  partHidden(members: readonly string[], key: string, effects: readonly Effect[]): PartlyHidden {
    return partHidden(members, this.#state.known(key), effects);
  }
}
