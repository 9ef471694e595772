/** The number of nodes to ask for in the place of one that is refused: what the cluster has, or else what was asked for, made odd and at least 3. */
export function rightNodeNumber(asked: number, has: number): number {
  const wanted = Math.max(has === 0 ? asked : has, LEAST_NODES);
  return wanted % 2 === 1 ? wanted : wanted + 1;
}

/** Whether a cluster may have so many nodes: an odd number that outlives the loss of one. */
export function isNodeNumber(nodes: number): boolean {
  return nodes >= LEAST_NODES && nodes % 2 === 1;
}

/** So many are needed to lose one. */
const LEAST_NODES = 3;
