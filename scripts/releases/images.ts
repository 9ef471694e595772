import { join } from "node:path";
import { worldImages } from "../../src/bin/world-images.ts";
import type { ImageStore } from "#kubernetes";
import type { BuiltRelease } from "./build.ts";

const ENGINES = join(import.meta.dirname, "../../.engines");

/** Images for a local world: those of a kept release stand for its own programs, all others for those of this checkout. */
export function imagesWith(built: readonly BuiltRelease[], cacheFolder: string): ImageStore {
  const others = new Map(built.map(({ runsAs, command }) => [runsAs.operator, command]));
  // the folder of a kept release has no engines
  return worldImages({ STORE_ENGINES_DIR: ENGINES, ...process.env }, cacheFolder, others);
}
