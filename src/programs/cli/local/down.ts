import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { isAlive, runningWorld } from "./world-file.ts";

/** How long a world may take to end its programs by itself. */
const PATIENCE_MS = 30_000;
/** What the system takes to end a process by force. */
const FORCE_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** How a world went down. */
export type Down = "was-not-running" | "stopped" | "killed";

/** Ends the world of `dir` and all its processes; its state stays. CLI_WORLD_NOT_DOWN when even force does not help. */
export async function takeDown(dir: string, clock: Clock): Promise<Down> {
  const world = await runningWorld(dir);
  if (world === undefined) return "was-not-running";
  process.kill(world.pid, "SIGTERM");
  if (await ends(world.pid, PATIENCE_MS, clock)) return "stopped";
  process.kill(world.pid, "SIGKILL"); // its reaper ends the programs
  if (await ends(world.pid, FORCE_MS, clock)) return "killed";
  throw new Fault(faults.worldNotDown, `process ${world.pid} of the world in ${dir} does not end`, { pid: world.pid });
}

/** Another process can only be asked again and again. */
async function ends(pid: number, withinMs: number, clock: Clock): Promise<boolean> {
  const deadline = clock.uptimeMs() + withinMs;
  while (isAlive(pid)) {
    if (clock.uptimeMs() > deadline) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
  return true;
}
