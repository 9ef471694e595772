import { globSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../kit/until.ts";

const ROOT = "/sys/fs/cgroup";

/** Removes the control groups whose name begins with `prefix`, in every hierarchy, once what ran in them has ended. */
export async function removeCgroups(prefix: string): Promise<void> {
  // the hierarchies of version 1 lie one level deeper than the only one of version 2
  const tops = [...globSync(join(ROOT, `${prefix}*`)), ...globSync(join(ROOT, "*", `${prefix}*`))];
  for (const top of tops) {
    const groups = globSync("**/cgroup.procs", { cwd: top }).map((file) => join(top, file, ".."));
    await until(`nothing runs in ${top}`, () =>
      groups.every((group) => readFileSync(join(group, "cgroup.procs"), "utf8") === ""),
    );
    for (const group of groups.sort((a, b) => b.length - a.length)) rmdirSync(group);
  }
}
