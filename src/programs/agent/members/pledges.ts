import { randomUUID } from "node:crypto";
import { mayConsent, mayPromise } from "../../../core/planner/node/grant.ts";
import type { PledgeFacts } from "../../../core/planner/node/grant.ts";

/** How often a process has consented to a take-over from each node; those that it never consented about are absent. */
export interface ConsentCounts {
  /** The process that has counted: another process of the node does not know what it said. */
  readonly process: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Stays the same exactly while the process gives no consent to a take-over from the node. */
export function consentTag({ process, counts }: ConsentCounts, node: number): string {
  return `${process}.${counts[node] ?? 0}`;
}

/** What this process has promised about other nodes, and which take-overs it has consented to. */
export class Pledges {
  readonly #promisedAt = new Map<number, number>();
  readonly #consentedAt = new Map<number, number>();
  readonly #counts: Record<string, number> = {};
  readonly #process = randomUUID();
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
    this.#counts[uid] = (this.#counts[uid] ?? 0) + 1;
    return true;
  }

  /** Milliseconds since the last promise to the node; Infinity when there was none. */
  promisedForMs(uid: number): number {
    return this.#of(uid).promisedForMs;
  }

  consents(): ConsentCounts {
    return { process: this.#process, counts: { ...this.#counts } };
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
