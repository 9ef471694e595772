import { mayConsent, mayPromise } from "../../../core/planner/database/grant.ts";
import type { PledgeFacts } from "../../../core/planner/database/grant.ts";

/** What this process has promised about other nodes, and which take-overs it has consented to. */
export class Pledges {
  readonly #promisedAt = new Map<number, number>();
  readonly #consentedAt = new Map<number, number>();
  readonly #steadyMs: () => number;
  readonly #startedAt: number;

  /** `steadyMs` never jumps; milliseconds. */
  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs;
    this.#startedAt = steadyMs();
  }

  /** Promises to take nothing over from the node for the length of a lease from now on; false when it does not promise. */
  promise(uid: number): boolean {
    if (!mayPromise(this.#of(uid))) return false;
    this.#promisedAt.set(uid, this.#steadyMs());
    return true;
  }

  /** Consents to a take-over from the node, and promises it nothing for the length of a lease; false when it does not. */
  consent(uid: number): boolean {
    if (!mayConsent(this.#of(uid))) return false;
    this.#consentedAt.set(uid, this.#steadyMs());
    return true;
  }

  /** Milliseconds since the last promise to the node; Infinity when there was none. */
  promisedForMs(uid: number): number {
    return this.#of(uid).promisedForMs;
  }

  #of(uid: number): PledgeFacts {
    const now = this.#steadyMs();
    return {
      promisedForMs: now - (this.#promisedAt.get(uid) ?? Number.NEGATIVE_INFINITY),
      consentedForMs: now - (this.#consentedAt.get(uid) ?? Number.NEGATIVE_INFINITY),
      runningForMs: now - this.#startedAt,
    };
  }
}
