import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { exclusively } from "./exclusive.ts";
import { removeCgroups } from "./cgroups.ts";
import { isSameProcess, startTimeOf } from "./proc.ts";
import { killNoted } from "./processes.ts";

/** Below it every control plane and cluster of this user has a folder; containers' layers need a real disk, so not /tmp. */
const BASE = `/var/tmp/store-enterprise-kubernetes-${process.getuid?.() ?? 0}`;

/** Makes an empty folder that belongs to this process, after clearing away what processes left that have ended. */
export async function createHome(kind: string): Promise<string> {
  await sweep();
  mkdirSync(BASE, { recursive: true, mode: 0o700 });
  const home = mkdtempSync(join(BASE, `${kind}-`));
  writeFileSync(join(home, OWNER), `${pid} ${startTimeOf(pid) ?? ""}`);
  return home;
}

/** What `work` comes to with a home, which is cleared away when it fails. */
export async function orClearHome<T>(home: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await clearHome(home);
    throw error;
  }
}

/** The folder of the one cluster that goes on without an owner, for people. */
export const LASTING_HOME = join(BASE, "up");

/** Ends what still runs of a home, and removes it with everything else that it brought to this machine. */
export async function clearHome(home: string): Promise<void> {
  const pids = join(home, "pids");
  if (existsSync(pids)) await killNoted(home, readdirSync(pids));
  await removeCgroups(cgroupOf(home));
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

/** Name that begins the control groups of a home's nodes. */
export function cgroupOf(home: string): string {
  return `store-enterprise-${home.slice(home.lastIndexOf("/") + 1)}`;
}

const OWNER = "owner";

/** Clears away the folders of processes that have ended without doing so. */
export async function sweep(): Promise<void> {
  await exclusively(BASE, ignoreWaiting, async () => {
    const homes = existsSync(BASE) ? readdirSync(BASE).map((name) => join(BASE, name)) : [];
    for (const home of homes.filter((each) => each !== LASTING_HOME && isForsaken(each))) await clearHome(home);
  });
}

function ignoreWaiting(): void {
  // another process sweeps: it takes a moment
}

function isForsaken(home: string): boolean {
  const note = join(home, OWNER);
  if (!existsSync(note)) return false; // it is just being made
  const [owner = 0, startTime = 0] = readFileSync(note, "utf8").split(" ").map(Number);
  return !isSameProcess(owner, startTime);
}
