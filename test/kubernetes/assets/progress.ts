/** Reports progress, a line at a time. */
export type Say = (line: string) => void;

/** Why the programs cannot be had on this machine at all; trying again does not help. */
export class Impossible extends Error {}
