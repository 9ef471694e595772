import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { LEVELS, stampOf, VERSION, type Level } from "./recipe.ts";
import { whyImpossible, whyNoNodes } from "./possible.ts";

/** Where the programs of a level are, or one sentence on why they are not. */
export type Found = { readonly folder: string } | { readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** The programs that KUBEBUILDER_ASSETS names, else those that are built already; builds nothing. */
export function findAssets(level: Level, env: Environment = process.env): Found {
  const named = level === "api" ? env["KUBEBUILDER_ASSETS"] : undefined;
  if (named !== undefined && named !== "" && process.platform === "linux") return givenFolder(named);
  const obstacle = level === "nodes" ? whyNoNodes() : undefined;
  if (obstacle !== undefined) return { reason: obstacle };
  const folder = builtFolder(level, env);
  if (isFresh(folder, level)) return { folder };
  const reason = whyImpossible(level, env);
  if (reason !== undefined) return { reason };
  return { reason: `the programs of Kubernetes ${VERSION} are not built; build them: npm run kube-assets -- ${level}` };
}

/** The reason to skip a test that needs the programs of `level`, for `test(name, { skip })`; false when they are there. */
export function skipWithout(level: Level): string | false {
  const found = findAssets(level);
  return "reason" in found ? found.reason : false;
}

/** Below it lies everything that is built, for every version. */
export function cacheFolder(env: Environment = process.env): string {
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "store-enterprise/kubernetes");
}

export function builtFolder(level: Level, env: Environment = process.env): string {
  return join(cacheFolder(env), VERSION, level);
}

/** The file whose content says what a folder was made from. */
export const STAMP = ".stamp";

/** True when the folder was made completely, and from what the recipe says now. */
export function isFresh(folder: string, level: Level): boolean {
  const stamp = join(folder, STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === stampOf(level);
}

export function isLevel(text: string | undefined): text is Level {
  return LEVELS.some((level) => level === text);
}

const NEEDED = ["kube-apiserver", "etcd", "kubectl"];

function givenFolder(folder: string): Found {
  const missing = NEEDED.filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return { folder };
  return { reason: `KUBEBUILDER_ASSETS names ${folder}, which lacks ${missing.join(", ")}; unset it or name another` };
}
