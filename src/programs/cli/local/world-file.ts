import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { signalProcess } from "#kit/processes/signal-process";
import { unlessMissing } from "#kit/files/unless-missing";

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
  const holder = await unlessMissing(readFile(join(dir, "lock"), "utf8")); // no lock: the world has ended
  return Number(holder) === file.pid ? file : undefined;
}

/** Whether a process with this number exists. */
export function isAlive(pid: number): boolean {
  return signalProcess(pid, 0);
}

async function readWorldFile(dir: string): Promise<WorldFile | undefined> {
  const text = await unlessMissing(readFile(join(dir, "world.json"), "utf8")); // never started here
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isWorldFile(value) ? value : undefined;
}

function isWorldFile(value: unknown): value is WorldFile {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["url", "subnet", "startedAt"].map((name) => Reflect.get(value, name));
  return texts.every((text) => typeof text === "string") && Number.isInteger(Reflect.get(value, "pid"));
}
