import { hasAof, readLaunch } from "./instance-files.ts";
import type { InstanceFiles } from "./instance-files.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/**
 * The highest launch number that was used, and whether the data is gone. A directory without a launch file, of a database that
 * has data, has lost it; so has that of a primary whose AOF is gone: it would start empty, and its replicas with it. Every
 * launch so far counts as used then.
 */
export async function readUsedLaunch(
  files: InstanceFiles,
  { fresh, role, directives, launch }: WantedInstance,
  { isRunning, before }: { readonly isRunning: boolean; readonly before: number },
): Promise<{ readonly launch: number; readonly lost: boolean }> {
  const used = await readLaunch(files);
  const needsAof = !isRunning && role === "primary" && directives["appendonly"] === "yes";
  const lost = !fresh && (used === undefined || (needsAof && !(await hasAof(files))));
  return { launch: lost ? Math.max(before, launch, used ?? 0) : (used ?? 0), lost };
}
