import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { makeLocalFolder } from "../console/make-folder.ts";
import { runningWorld } from "./world-file.ts";
import type { WorldFile } from "./world-file.ts";

/** A world that is up, and whether it was so before. */
export interface Up {
  readonly world: WorldFile;
  readonly already: boolean;
}

/** Starts the world of `dir` by the program `store` as a process of its own and resolves when it is ready; CLI_WORLD_NOT_UP when it ends instead. */
export async function bringUp(dir: string, store: string): Promise<Up> {
  const present = await runningWorld(dir);
  if (present !== undefined) return { world: present, already: true };
  await makeLocalFolder(dir);
  const said = join(dir, "world.out");
  const output = await open(said, "w", 0o600);
  const child = spawn(process.execPath, [store, "world", "--dir", dir], {
    detached: true,
    env: { NODE_COMPILE_CACHE: join(dir, "cache"), ...process.env },
    stdio: ["ignore", output.fd, output.fd, "ipc"],
  });
  await output.close();
  await ready(child, said);
  child.disconnect();
  child.unref();
  const world = await runningWorld(dir);
  if (world === undefined) throw notUp("the world ended right after it was ready", said);
  return { world, already: false };
}

/** The world sends a message over its channel when it is ready. */
async function ready(child: ChildProcess, said: string): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([
      once(child, "message", { signal: ended.signal }),
      once(child, "exit", { signal: ended.signal }).then(async ([code, signal]: unknown[]) => {
        throw notUp(`the world ended with ${String(code ?? signal)}: ${await lastWords(said)}`, said);
      }),
    ]);
  } finally {
    ended.abort();
  }
}

async function lastWords(said: string): Promise<string> {
  const file = await open(said, "r");
  try {
    return (await file.readFile("utf8")).trim().slice(-2_000);
  } finally {
    await file.close();
  }
}

function notUp(message: string, said: string): Fault {
  return new Fault(faults.worldNotUp, message, { said });
}
