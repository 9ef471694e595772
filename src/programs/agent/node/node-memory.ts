import { totalmem } from "node:os";
import { nodeReserveBytes, type ContainerMemory } from "../../../core/planner/node/capacity.ts";
import { dividedMemory } from "../../../core/planner/node/node-containers.ts";
import { memoryLimit } from "#kit/processes/memory-limit";
import type { AgentConfig } from "../runtime/config.ts";

/** What this node may use, and what of it databases cannot have. `engines`: limit of their container, where they have one. */
export function nodeMemory(
  { root, workers }: Pick<AgentConfig, "root" | "workers">,
  engines: number | undefined,
): ContainerMemory {
  const [own, reserve] = [memoryLimit(root), nodeReserveBytes(workers)];
  return engines === undefined ? { limit: own, reserve } : dividedMemory({ bytes: own, reserve }, engines, totalmem());
}
