import { readdirSync, readFileSync } from "node:fs";
import { statOf } from "../kernel/processor-time.ts";
import { usageOf, type Usage } from "../kernel/usage.ts";

/** What a process of the world is there for. */
export const ROLES = ["operator", "agent", "proxy", "starter", "rigger", "engine", "world"] as const;
export type Role = (typeof ROLES)[number];

/** The processes of one role at one moment. */
export interface RoleUsage extends Usage {
  readonly processes: number;
}

/** What the processes of each role have used so far: the world of `dir`, and everything that it has started. */
export function usageByRole(dir: string): ReadonlyMap<Role, RoleUsage> {
  const all = new Map<Role, RoleUsage>();
  for (const { pid, role } of processesOf(dir)) {
    const usage = usageOf(pid);
    if (usage === undefined) continue;
    const sum = all.get(role) ?? { processes: 0, cpu: 0, waits: 0, pss: 0, rss: 0 };
    all.set(role, {
      processes: sum.processes + 1,
      cpu: sum.cpu + usage.cpu,
      waits: sum.waits + usage.waits,
      pss: sum.pss + usage.pss,
      rss: sum.rss + usage.rss,
    });
  }
  return all;
}

/** Every process of the world, by what it is there for. */
export function processesOf(dir: string): readonly { readonly pid: number; readonly role: Role }[] {
  const parents = new Map<number, number>();
  const roles = new Map<number, Role>();
  let world = 0;
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      parents.set(pid, statOf(pid).parent);
      const role = roleOf(command);
      if (role !== undefined) roles.set(pid, role);
      if (role === "world" && command.includes(dir)) world = pid;
    } catch {
      // it has ended since it was found
    }
  }
  const isOurs = (pid: number): boolean => pid === world || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  return [...roles].filter(([pid]) => isOurs(pid)).map(([pid, role]) => ({ pid, role }));
}

function roleOf(command: string): Role | undefined {
  const program = /store\.js (\w+)/.exec(command)?.[1];
  if (program !== undefined) return ROLES.find((role) => role === program);
  return /(?:redis|valkey)-server /.test(command) ? "engine" : undefined;
}
