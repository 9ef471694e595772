import { totalmem } from "node:os";
import { NODE_RESERVE_BYTES, type ContainerMemory } from "../../../core/planner/database/capacity.ts";
import { dividedMemory } from "../../../core/planner/database/node-containers.ts";
import { memoryLimit } from "../../../mechanisms/processes/memory-limit.ts";

/** What this node may use, and what of it databases cannot have. `engines`: limit of their container, where they have one. */
export function nodeMemory(root: string, engines: number | undefined): ContainerMemory {
  const own = memoryLimit(root);
  return engines === undefined ? { limit: own, reserve: NODE_RESERVE_BYTES } : dividedMemory(own, engines, totalmem());
}
