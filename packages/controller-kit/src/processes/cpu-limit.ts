import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { groupFiles } from "./control-groups.ts";

/** How many processors this container may use at most, for instance 1.5; Infinity where nothing limits it. */
export function cpuLimit(root: string): number {
  const files = groupFiles(root, { name: "cpu", files: { unified: "cpu.max", own: "cpu.cfs_quota_us" } });
  const limits = files.map(({ text, path, unified }) => {
    const [quota, period] = unified ? text.split(" ") : [text, readPeriod(join(dirname(path), "cpu.cfs_period_us"))];
    return Number(quota) / Number(period);
  });
  return Math.min(Number.POSITIVE_INFINITY, ...limits.filter((limit) => limit > 0));
}

function readPeriod(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // the group has ended meanwhile
  }
}
