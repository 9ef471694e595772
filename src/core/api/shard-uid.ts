/**
 * uid of a shard in the cluster, from the uid of its database and the id of its instance there: the pairs are numbered along
 * the diagonals, 1 for the first. Both are counted from 1 and never used again, so each node gives a shard the same uid for ever.
 */
export function shardUid(bdb: number, instance: number): number {
  const diagonal = bdb + instance - 2;
  return (diagonal * (diagonal + 1)) / 2 + instance;
}
