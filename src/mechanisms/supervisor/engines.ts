import { execFile } from "node:child_process";
import { access, constants, readdir, realpath } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { StoreVersion } from "../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { ENGINE_FAMILIES, chooseEngine, engineText } from "../../core/releases/engines/engines.ts";
import type { EngineIdentity } from "../../core/releases/engines/engines.ts";
import { faults } from "./faults.ts";

/** An engine that this machine can start. */
export interface FoundEngine extends EngineIdentity {
  /** The executable, absolute. */
  readonly path: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const VERSION_DEADLINE_MS = 10_000;
/** Seen from the sources, and from `dist/bin`. */
const PROJECT_ENGINES = ["../../../.engines", "../../.engines"].map((path) => join(import.meta.dirname, path));
const discoveries = new Map<string, Promise<readonly FoundEngine[]>>();

/**
 * Every engine version of this machine once: out of `STORE_ENGINES_DIR`, the project's `.engines` folder, then `PATH`.
 * Known by what each reports with `--version`, never by its file name. Looked up once per process and search path.
 */
export function discoverEngines(env: Environment): Promise<readonly FoundEngine[]> {
  const key = JSON.stringify([env.STORE_ENGINES_DIR, env.PATH]);
  const known = discoveries.get(key) ?? look(env);
  discoveries.set(key, known);
  return known;
}

/** The engine that serves a database version here; SUPERVISOR_NO_ENGINE when there is none. */
export function engineFor(
  { storeVersion }: { readonly storeVersion: StoreVersion },
  engines: readonly FoundEngine[],
): FoundEngine {
  const chosen = chooseEngine(storeVersion, engines);
  if (chosen !== undefined) return chosen.engine;
  const known = engines.map(engineText).join(", ");
  throw new Fault(faults.noEngine, `no engine for store version ${storeVersion} here; found: ${known || "none"}`);
}

async function look(env: Environment): Promise<readonly FoundEngine[]> {
  const folders = [
    ...(await engineFolders(env.STORE_ENGINES_DIR)),
    ...(await Promise.all(PROJECT_ENGINES.map(engineFolders))).flat(),
    ...(env.PATH ?? "").split(delimiter).filter((folder) => folder !== ""),
  ];
  const found = await Promise.all((await executablesIn(folders)).map(identify));
  return distinct(found.filter((engine) => engine !== undefined));
}

/** `<folder>/<name>/bin` for each name, and the folder itself. */
async function engineFolders(folder: string | undefined): Promise<string[]> {
  if (folder === undefined || folder === "") return [];
  const names = await readdir(folder).catch(() => []); // a folder that is not there holds no engines
  return [folder, ...names.toSorted().map((name) => join(folder, name, "bin"))];
}

async function executablesIn(folders: readonly string[]): Promise<string[]> {
  const candidates = folders.flatMap((folder) => ENGINE_FAMILIES.map((family) => join(folder, `${family}-server`)));
  const real = await Promise.all(candidates.map(executable));
  return [...new Set(real.filter((path) => path !== undefined))];
}

/** The path itself: the link `redis-server` to `redis-check-rdb` decides by its name which of the two it is. */
async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return join(await realpath(join(path, "..")), path.slice(path.lastIndexOf("/") + 1));
  } catch {
    return undefined; // absent, or not executable: no candidate
  }
}

async function identify(path: string): Promise<FoundEngine | undefined> {
  try {
    const { stdout } = await run(path, ["--version"], { timeout: VERSION_DEADLINE_MS, env: {} });
    const identity = identityIn(stdout);
    return identity === undefined ? undefined : { ...identity, path };
  } catch {
    return undefined; // cannot be run on this machine (another architecture, a missing library): no engine here
  }
}

function identityIn(versionLine: string): EngineIdentity | undefined {
  const [, name = "", version = ""] = /^(\w+) server v=(\d+\.\d+\.\d+)\b/i.exec(versionLine) ?? [];
  const family = ENGINE_FAMILIES.find((known) => known === name.toLowerCase());
  return family === undefined ? undefined : { family, version };
}

function distinct(engines: readonly FoundEngine[]): readonly FoundEngine[] {
  const byIdentity = new Map<string, FoundEngine>();
  for (const engine of engines) {
    const key = `${engine.family} ${engine.version}`;
    if (!byIdentity.has(key)) byIdentity.set(key, engine);
  }
  return [...byIdentity.values()];
}
