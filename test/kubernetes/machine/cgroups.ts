import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { until } from "#kit/testing/until";
import { END_WITHIN_MS } from "./processes.ts";

const ROOT = "/sys/fs/cgroup";

/** Makes a control group in every hierarchy, for a kubelet to put its pods into. */
export function createCgroup(name: string): void {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, name);
    mkdirSync(group, { recursive: true });
    delegate(hierarchy);
    delegate(group);
  }
}

/** Removes the control groups whose name begins with `prefix`, in every hierarchy, once what ran in them has ended. */
export async function removeCgroups(prefix: string): Promise<void> {
  for (const top of hierarchies().flatMap((hierarchy) => globSync(join(hierarchy, `${prefix}*`)))) {
    const groups = globSync("**/cgroup.procs", { cwd: top }).map((file) => dirname(join(top, file)));
    const deepestFirst = groups.toSorted((a, b) => b.length - a.length);
    for (const group of deepestFirst)
      await until(`nothing runs in ${group}`, () => hasGone(group), { withinMs: END_WITHIN_MS });
  }
}

/** Whether this process may make control groups. */
export function hasWritableCgroups(): boolean {
  const found = hierarchies();
  return found.length > 0 && found.every(isWritable);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false; // read-only, or not ours: which one makes no difference to who asks
  }
}

/** A group cannot be removed before the last of its processes has been buried, which is a little after it has ended. */
function hasGone(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EBUSY") return false;
    throw error;
  }
}

/** Version 2 has one; version 1 has one for each controller, some of them under two names. */
function hierarchies(): readonly string[] {
  if (!existsSync(ROOT)) return [];
  if (existsSync(join(ROOT, "cgroup.controllers"))) return [ROOT];
  return [...new Set(globSync(join(ROOT, "*/cgroup.procs")).map((file) => realpathSync(dirname(file))))];
}

/** Lets groups below this one have the controllers of the one above, which version 2 and the cpuset of version 1 need to be given. */
function delegate(group: string): void {
  const controllers = join(group, "cgroup.controllers");
  if (existsSync(controllers)) {
    const wanted = readFileSync(controllers, "utf8").trim();
    if (wanted !== "") writeFileSync(join(group, "cgroup.subtree_control"), wanted.replace(/^|(?<= )/g, "+"));
  }
  for (const name of ["cpuset.cpus", "cpuset.mems"]) {
    const file = join(group, name);
    const above = join(dirname(group), name);
    if (!existsSync(controllers) && existsSync(above)) writeFileSync(file, readFileSync(above, "utf8"));
  }
}
