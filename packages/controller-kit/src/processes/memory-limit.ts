import { totalmem } from "node:os";
import { constrainedMemory } from "node:process";
import { containerLimit } from "../base/container-limit.ts";
import { groupFiles } from "./control-groups.ts";

/**
 * What the processes of this container may take together, in bytes: the lowest limit of its control groups, and never more than the
 * machine has.
 */
export function memoryLimit(root: string): number {
  const files = groupFiles(root, { name: "memory", files: { unified: "memory.max", own: "memory.limit_in_bytes" } });
  const stated = files.map(({ text }) => Number(text)).filter((bytes) => Number.isSafeInteger(bytes) && bytes > 0);
  return containerLimit([constrainedMemory(), ...stated], totalmem());
}
