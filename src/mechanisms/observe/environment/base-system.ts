import { readFileSync } from "node:fs";
import { join } from "node:path";
import { baseSystemIn } from "../../../core/releases/catalogue/base-system.ts";

const FILES = ["etc/os-release", "usr/lib/os-release"];

/**
 * The base system of the image that this process runs in, whose files are below `root`; undefined when it does not say. A process
 * whose image brings none, as in the local Kubernetes, runs on the system of the machine.
 */
export function readBaseSystem(root: string): string | undefined {
  for (const folder of [root, "/"]) {
    for (const file of FILES) {
      const text = textOf(join(folder, file));
      if (text !== undefined) return baseSystemIn(text);
    }
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // absent, as on systems other than Linux
  }
}
