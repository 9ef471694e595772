import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCgroup, hasWritableCgroups, removeCgroups } from "./cgroups.ts";

/** Control groups, one for each node of a cluster, as containers with a limit of memory have them. */
export interface ContainedNodes extends AsyncDisposable {
  /** Prefix of a command that then runs in the group of node `uid`. */
  readonly within: (uid: number) => readonly string[];
  /** Gives node `uid` another limit, in bytes. */
  setLimit(uid: number, limit: number): void;
  /** How many processes of node `uid` the kernel has killed because the limit was reached. */
  oomKills(uid: number): number;
  /** Bytes that the processes of node `uid` take, without files that the kernel keeps in memory. */
  bytes(uid: number): number;
}

const ROOT = "/sys/fs/cgroup";
const VERSION_2 = existsSync(join(ROOT, "cgroup.controllers"));

/** Why there can be none on this machine; false when there can. */
export function whyNoGroups(): string | false {
  const isPossible = process.platform === "linux" && process.getuid?.() === 0 && hasWritableCgroups();
  return isPossible ? false : "makes control groups, as root on Linux with a writable /sys/fs/cgroup";
}

/** Makes groups for `nodes` nodes with `limit` bytes of memory each; they are removed once all that runs in them has ended. */
export function containedNodes(nodes: number, limit: number): ContainedNodes {
  const prefix = `store-memory-${process.pid}-`;
  const groupOf = (uid: number): string => join(ROOT, VERSION_2 ? "" : "memory", `${prefix}${uid}`);
  const setLimit = (uid: number, bytes: number): void => {
    writeFileSync(join(groupOf(uid), VERSION_2 ? "memory.max" : "memory.limit_in_bytes"), String(bytes));
  };
  for (let uid = 1; uid <= nodes; uid++) {
    createCgroup(`${prefix}${uid}`);
    setLimit(uid, limit);
  }
  const read = (uid: number, file: string): string => readFileSync(join(groupOf(uid), file), "utf8");
  return {
    setLimit,
    within: (uid) => ["sh", "-c", `echo $$ > ${join(groupOf(uid), "cgroup.procs")} && exec "$@"`, "sh"],
    oomKills: (uid) => numberOf(read(uid, VERSION_2 ? "memory.events" : "memory.oom_control"), "oom_kill"),
    bytes: (uid) => numberOf(read(uid, "memory.stat"), VERSION_2 ? "anon" : "total_rss"),
    [Symbol.asyncDispose]: () => removeCgroups(prefix),
  };
}

function numberOf(text: string, name: string): number {
  const found = new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
  if (found === undefined) throw new Error(`no ${name} in: ${text}`);
  return Number(found);
}
