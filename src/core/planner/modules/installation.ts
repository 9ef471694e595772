import type { FinishedAction, InstalledModule } from "../../api/records.ts";

/** What a node reports of the modules that it has. */
export interface ModuleHolder {
  /** Its report is recent. */
  readonly fresh: boolean;
  /** Uids of the builds whose shared object it has. */
  readonly modules: readonly string[];
}

/** How far the installation of a build is. */
export type Installation = Pick<FinishedAction, "status" | "progress" | "error">;

/**
 * A build is installed when every node that reports has it. It has failed when each node reports and none has it: then no node
 * can fetch it from another. Reports of a build of the last minute may be on their way.
 */
export function installationOf(
  { uid, name, version, installedTime }: Pick<InstalledModule, "uid" | "name" | "version" | "installedTime">,
  nodes: readonly ModuleHolder[],
  now: Date,
): Installation {
  const present = nodes.filter(({ fresh }) => fresh);
  const having = present.filter(({ modules }) => modules.includes(uid)).length;
  const isRecent = now.getTime() - Date.parse(installedTime) < RECENT_MS;
  if (having === 0 && present.length > 0 && present.length === nodes.length && !isRecent)
    return { status: "failed", progress: 0, error: `no node has module ${name} ${version} any more; upload it again` };
  return {
    status: having === present.length ? "completed" : "running",
    progress: present.length === 0 ? 0 : Math.floor((100 * having) / present.length),
  };
}

const RECENT_MS = 60_000;
