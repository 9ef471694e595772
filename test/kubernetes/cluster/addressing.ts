/** The one machine that is no node: control plane, DNS, and where programs run that call into the cluster. */
export const CENTER_ADDRESS = "10.89.0.1";
export const PREFIX_LENGTH = 24;

/** Every pod has its address out of it. */
export const POD_RANGE = "10.244.0.0/16";

/** Nodes are counted from 1. */
const MOST_NODES = 9;

/** How a node is called and where it is. */
export interface NodePlace {
  readonly name: string;
  readonly address: string;
  /** The node's pods have their addresses out of it. */
  readonly podRange: string;
}

/** The node of that number. */
export function placeOf(number: number): NodePlace {
  return { name: `node${number}`, address: `10.89.0.${10 + number}`, podRange: `10.244.${number}.0/24` };
}

/** The nodes of a cluster; refuses a number that the addresses do not last for. */
export function placesOf(nodes: number): readonly NodePlace[] {
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MOST_NODES)
    throw new Error(`a cluster has 1 to ${MOST_NODES} nodes, not ${nodes}`);
  return Array.from({ length: nodes }, (_, index) => placeOf(index + 1));
}
