/** What is known when a replica takes over from a primary that can no longer be asked. */
export interface SuccessionFacts {
  /** What sentences call the shard. */
  readonly shard: string;
  /** ISO instant of the take-over. */
  readonly at: string;
  readonly oldNode: number;
  readonly newNode: number;
  /** The last known offset of the old primary; undefined when none is known. */
  readonly lastSeenOffset: number | undefined;
  /** How long before the take-over it was seen, in milliseconds. */
  readonly seenAgoMs: number;
  readonly heirOffset: number;
  /** The data directory of the old primary is gone. */
  readonly dataIsGone: boolean;
}

/**
 * What a take-over after a crash may have cost, as one sentence. There always is one: replication does not wait, so writes
 * acknowledged in the primary's last moments may never have left it.
 */
export function lossSentence(facts: SuccessionFacts): string {
  const who = `${facts.at}: node ${facts.newNode} took over ${facts.shard} from node ${facts.oldNode}${facts.dataIsGone ? ", where its data is gone" : ""}`;
  if (facts.lastSeenOffset === undefined)
    return `${who}; acknowledged writes that had not reached it are lost, how many is not known`;
  const gap = facts.lastSeenOffset - facts.heirOffset;
  const seen = `the old primary was seen last ${Math.round(facts.seenAgoMs)} ms before`;
  return gap > 0
    ? `${who}; at least ${gap} bytes of acknowledged writes are lost (${seen})`
    : `${who}; it has all that the old primary was seen to have written; ${seen}, what it acknowledged after that may be lost`;
}
