/** A node as another one counts it when it chooses its voters. */
export interface VoterFacts {
  readonly uid: number;
  /** Its lease holds. */
  readonly fresh: boolean;
  /** It keeps to promises and consents; nodes of release 0.3.0 and older ask no others before they take over. */
  readonly votes: boolean;
  /** It ended in good order long ago: it has left the cluster. */
  readonly left: boolean;
}

/**
 * The nodes whose promises count for `self`, itself included: those that are alive now, and all of the cluster when no other one
 * is, since a node that voted alone could never be succeeded. Undefined while a node of the cluster does not vote: then the
 * promise of every other node is needed.
 */
export function votersOf(members: readonly VoterFacts[], self: number): readonly number[] | undefined {
  const others = members.filter(({ uid, left }) => uid !== self && !left);
  if (others.some(({ votes }) => !votes)) return undefined;
  const alive = others.filter(({ fresh }) => fresh);
  const voters = alive.length > 0 ? alive : others;
  return [self, ...voters.map(({ uid }) => uid)].toSorted((a, b) => a - b);
}

/** True when `node` and those that promise are more than half of the voters. */
export function hasMajority(voters: readonly number[], node: number, promised: readonly number[]): boolean {
  const counted = voters.filter((voter) => voter === node || promised.includes(voter));
  return counted.length * 2 > voters.length;
}

/** True when the voters that did not consent to a take-over from `node` cannot give it a majority. */
export function deniesMajority(voters: readonly number[], node: number, consented: readonly number[]): boolean {
  const free = voters.filter((voter) => !consented.includes(voter));
  return !hasMajority(voters, node, free);
}
