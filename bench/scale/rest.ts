import { setTimeout as sleep } from "node:timers/promises";
import { ROLES, usageByRole, type Role } from "./roles.ts";

/** What one role cost while nothing was asked of it. */
export interface RoleRest {
  readonly role: Role;
  readonly processes: number;
  /** Share of one processor, all processes together. */
  readonly cpu: number;
  /** How often a second one of their threads woke up. */
  readonly wakeups: number;
  /** MiB, all processes together. */
  readonly pss: number;
  /** MiB of one process. */
  readonly rss: number;
}

/** A world at rest. */
export interface Rest {
  readonly databases: number;
  readonly roles: readonly RoleRest[];
}

/** Watches the world of `dir` for so long. */
export async function atRest(dir: string, databases: number, ms: number): Promise<Rest> {
  const before = usageByRole(dir);
  const began = performance.now();
  await sleep(ms);
  const seconds = (performance.now() - began) / 1000;
  const after = usageByRole(dir);
  const roles = ROLES.flatMap((role): RoleRest[] => {
    const [then, now] = [before.get(role), after.get(role)];
    if (then === undefined || now === undefined) return [];
    const { processes, pss, rss } = now;
    const [cpu, wakeups] = [(now.cpu - then.cpu) / seconds, (now.waits - then.waits) / seconds];
    return [{ role, processes, cpu, wakeups, pss, rss: rss / processes }];
  });
  return { databases, roles };
}
