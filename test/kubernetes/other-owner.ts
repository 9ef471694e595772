import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A process that started something and holds it, to be killed. */
export interface OtherOwner {
  /** Folder of what it started. */
  readonly folder: string;
  kill(): void;
}

/** Starts what `call` of `module` starts in a process of its own: `call` is an expression that ends in the folder. */
export async function startElsewhere(module: string, call: string): Promise<OtherOwner> {
  const path = JSON.stringify(join(import.meta.dirname, module));
  const program = `const kit = await import(${path}); console.log(${call});`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [folder] = await once(createInterface(owner.stdout), "line");
  return {
    folder: String(folder),
    kill: () => {
      owner.kill("SIGKILL");
    },
  };
}

/** Numbers of the processes that are noted in the folder of a control plane or cluster. */
export function pidsOf(folder: string): number[] {
  const notes = readdirSync(join(folder, "pids")).map((name) => readFileSync(join(folder, "pids", name), "utf8"));
  return notes.map((note) => Number(note.split(" ")[0]));
}
