import { join } from "node:path";
import { NODE_ARGS } from "../../src/bin/node-args.ts";
import { worldImages } from "../../src/bin/world-images.ts";
import { CATALOGUE } from "../../src/core/releases/catalogue/catalogue.ts";
import type { ImageStore } from "#kubernetes";
import type { BuiltRelease } from "./build.ts";

const ENGINES = join(import.meta.dirname, "../../.engines");

/** Images for a local world: those of a kept release stand for its own programs, all others for `store`, or for the sources of this checkout. */
export function imagesWith(built: readonly BuiltRelease[], cacheFolder: string, store?: string): ImageStore {
  const ours = store === undefined ? [] : CATALOGUE.map(({ operator }) => [operator, commandOf(store)] as const);
  const kept = built.map(({ runsAs, command }) => [runsAs.operator, command] as const);
  // the folder of a kept release has no engines
  return worldImages({ STORE_ENGINES_DIR: ENGINES, ...process.env }, cacheFolder, new Map([...ours, ...kept]));
}

function commandOf(store: string): readonly string[] {
  return [process.execPath, ...NODE_ARGS, store];
}
