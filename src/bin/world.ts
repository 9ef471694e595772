import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Fault, messageOf } from "#kit/base/fault";
import { jsonLog } from "#kit/base/log";
import type { Log } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { faults } from "./faults.ts";
import { worldImages } from "./world-images.ts";
import { startWorld } from "#kubernetes";

/** `store world --dir D`: runs the local world in the foreground until SIGINT or SIGTERM. */
export async function main(args: readonly string[]): Promise<void> {
  const dir = resolve(dirOf(args));
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stop = stopRequested();
  const log = logIn(dir);
  const world = await startWorld({ dir, log, images: worldImages(process.env, join(dir, "cache")) });
  log.info("the world is up", { url: world.url });
  process.stdout.write(`The world is up: ${world.url}\n  export KUBECONFIG=${world.kubeconfig}\n`);
  process.send?.({ ready: true });
  await stop;
  process.stdout.write("The world ends.\n");
  log.info("the world ends");
  await world.stop();
  log.info("the world has ended");
  if (process.connected) process.disconnect();
}

function dirOf(args: readonly string[]): string {
  try {
    const { values } = parseArgs({ args: [...args], options: { dir: { type: "string" } } });
    if (values.dir !== undefined && values.dir !== "") return values.dir;
  } catch (error) {
    throw new Fault(faults.usage, `${messageOf(error)}; usage: store world --dir <folder>`, {}, error);
  }
  throw new Fault(faults.usage, "the folder is missing; usage: store world --dir <folder>");
}

async function stopRequested(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}

/** The world's own log; what its programs say is in the logs of their pods. */
function logIn(dir: string): Log {
  const file = createWriteStream(join(dir, "world.log"), { flags: "a", mode: 0o600 });
  return jsonLog(
    (line) => {
      file.write(line);
    },
    () => systemClock.now(),
  );
}
