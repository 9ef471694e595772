import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where a controller keeps its files, in versions 2 and 1 of control groups. */
interface ControllerFiles {
  readonly name: string;
  readonly files: { readonly unified: string; readonly own: string };
}

/**
 * What the control groups of this process say in the file of a controller: those that it is in, one in another, and the one that it
 * shows below the container root, where a kubelet that cannot limit its processes writes. `unified`: of version 2.
 */
export function groupFiles(
  root: string,
  { name, files }: ControllerFiles,
): readonly { readonly text: string; readonly path: string; readonly unified: boolean }[] {
  const unified = { folder: UNIFIED, file: files.unified, unified: true };
  const own = { folder: join(UNIFIED, name), file: files.own, unified: false };
  const shown = [unified, own].map((one) => ({ ...one, path: join(root, one.folder, one.file) }));
  const lines = (readIfReadable("/proc/self/cgroup") ?? "").split("\n").map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const around = lines.flatMap((found) => {
    const [, names = "", path = "/"] = found ?? [];
    if (names !== "" && !names.split(",").includes(name)) return [];
    const controller = names === "" ? unified : own;
    return upwards(path).map((group) => ({
      ...controller,
      path: join("/", controller.folder, group, controller.file),
    }));
  });
  return [...shown, ...around].flatMap((one) => {
    const text = readIfReadable(one.path);
    return text === undefined ? [] : [{ text: text.trim(), path: one.path, unified: one.unified }];
  });
}

const UNIFIED = "sys/fs/cgroup";

function upwards(path: string): readonly string[] {
  return path === "/" || path === "." ? ["/"] : [path, ...upwards(dirname(path))];
}

function readIfReadable(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // no such group to see here, or no such version
  }
}
