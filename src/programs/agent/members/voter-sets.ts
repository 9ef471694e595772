import { hasMajority } from "../../../core/planner/node/quorum.ts";

/** Voters of one renewal; undefined stands for every other node. */
export type Voters = readonly number[] | undefined;

/** The voters that the stored Lease of a node may name: of the last confirmed renewal, and of those with an unknown outcome since. */
export class VoterSets {
  #confirmed: Voters;
  #unknown: Voters[] = [];

  /** A renewal with these voters is on its way. */
  send(voters: Voters): void {
    if (!this.all().some((known) => isSame(known, voters))) this.#unknown.push(voters);
  }

  /** A renewal with these voters is stored, and none before it can be stored any more. */
  confirm(voters: Voters): void {
    this.#confirmed = voters;
    this.#unknown = [];
  }

  /** Those of the last confirmed renewal. */
  confirmed(): Voters {
    return this.#confirmed;
  }

  all(): readonly Voters[] {
    return [this.#confirmed, ...this.#unknown];
  }
}

/** True when the promises give `self` a majority of each set; a set that is undefined needs all of `others`. */
export function isPromised(
  sets: readonly Voters[],
  self: number,
  others: readonly number[],
  promised: readonly number[],
): boolean {
  return sets.every((voters) =>
    voters === undefined ? others.every((uid) => promised.includes(uid)) : hasMajority(voters, self, promised),
  );
}

function isSame(a: Voters, b: Voters): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
