import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { constrainedMemory } from "node:process";
import { containerLimit } from "../../core/base/container-limit.ts";

/** Folders of the memory controller, of versions 2 and 1, with the file of the limit. */
const CONTROLLERS = [
  { folder: "sys/fs/cgroup", file: "memory.max" },
  { folder: "sys/fs/cgroup/memory", file: "memory.limit_in_bytes" },
] as const;

/**
 * What the processes of this container may take together, in bytes: the lowest limit of the control groups that it is in, one in
 * another, and of the one that it shows, and never more than the machine has. A kubelet that cannot limit its processes writes that
 * one below the container root.
 */
export function memoryLimit(root: string): number {
  const shown = CONTROLLERS.map(({ folder, file }) => join(root, folder, file));
  const stated = [...shown, ...ownGroups()].map(limitIn).filter((bytes) => bytes !== undefined);
  return containerLimit([constrainedMemory(), ...stated], totalmem());
}
/** Files with the limits of the group of this process and of those around it. */
function ownGroups(): readonly string[] {
  const lines = (read("/proc/self/cgroup") ?? "").split("\n").map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return lines.flatMap((found) => {
    const [, names = "", path = "/"] = found ?? [];
    const controller = names === "" ? CONTROLLERS[0] : CONTROLLERS[1];
    if (names !== "" && !names.split(",").includes("memory")) return [];
    return upwards(path).map((group) => join("/", controller.folder, group, controller.file));
  });
}

function upwards(path: string): readonly string[] {
  return path === "/" || path === "." ? ["/"] : [path, ...upwards(dirname(path))];
}

/** Undefined where there is no such file, and of "max". */
function limitIn(file: string): number | undefined {
  const bytes = Number(read(file)?.trim() ?? "");
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // no such group to see here, or no such version
  }
}
