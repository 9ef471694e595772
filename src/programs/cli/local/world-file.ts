import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** What a running world says of itself in `<dir>/world.json`. */
export interface WorldFile {
  readonly pid: number;
  readonly url: string;
  readonly subnet: string;
  readonly startedAt: string;
}

/** The folder of the local world: --dir, else $STORE_LOCAL_DIR, else `.local` here. */
export function worldFolder(dir: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  return resolve(dir ?? env["STORE_LOCAL_DIR"] ?? ".local");
}

export function kubeconfigPath(dir: string): string {
  return join(dir, "kubeconfig");
}

/** The world that runs in `dir`; undefined when none does. */
export async function runningWorld(dir: string): Promise<WorldFile | undefined> {
  const file = await readWorldFile(dir);
  if (file === undefined || !isAlive(file.pid)) return undefined;
  // a number alone may have gone to a stranger: the lock of a world names the same process
  const holder = await readFile(join(dir, "lock"), "utf8").catch(() => ""); // no lock: the world has ended
  return Number(holder) === file.pid ? file : undefined;
}

/** Whether a process with this number exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH
  }
}

async function readWorldFile(dir: string): Promise<WorldFile | undefined> {
  const text = await readFile(join(dir, "world.json"), "utf8").catch(() => undefined); // never started here
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isWorldFile(value) ? value : undefined;
}

function isWorldFile(value: unknown): value is WorldFile {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["url", "subnet", "startedAt"].map((name) => Reflect.get(value, name));
  return texts.every((text) => typeof text === "string") && Number.isInteger(Reflect.get(value, "pid"));
}
