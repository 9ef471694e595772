import { NODE_RESERVE_BYTES, WORKER_BYTES } from "./capacity.ts";

/** More have not been measured. */
export const MOST_WORKERS = 4;

/**
 * How many workers share the clients of a node, by the limits of the container of agent and proxy: one for each processor beside that
 * of the agent, as far as the memory goes. One where nothing limits the processors: the node cannot know which of them are for it.
 */
export function proxyWorkers(cpus: number, memoryBytes: number): number {
  if (!Number.isFinite(cpus)) return 1;
  const byMemory = 1 + Math.floor((memoryBytes - NODE_RESERVE_BYTES) / WORKER_BYTES);
  return Math.max(1, Math.min(MOST_WORKERS, Math.floor(cpus) - 1, byMemory));
}
