import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundlePrograms } from "../programs/bundle.ts";
import { installDependencies } from "./dependencies.ts";
import type { KeptRelease } from "./history.ts";

/** A kept release that can be run. */
export interface BuiltRelease extends KeptRelease {
  /** Its sources, with its dependencies. */
  readonly folder: string;
  /** What starts its programs: its own Node and its own `store`. */
  readonly command: readonly string[];
  /** Its own bundle, as its own storectl prints it. */
  bundle(): Promise<string>;
}

/** Where commits come from, and where what is built from them lies. */
export interface BuildPlace {
  /** A clone of this repository with its dependencies. */
  readonly checkout: string;
  /** A folder outside of it, for all checkouts. */
  readonly cache: string;
}

const PLACE: BuildPlace = { checkout: join(import.meta.dirname, "../.."), cache: cacheFolder(process.env) };
const UNFINISHED = ".building-";
const exec = promisify(execFile);

/** Why a kept release cannot be built from this clone, with the command that helps; undefined when it can. */
export async function whyNotBuildable({ version, commit }: KeptRelease, place = PLACE): Promise<string | undefined> {
  if (existsSync(join(place.cache, commit))) return undefined;
  try {
    await exec("git", ["-C", place.checkout, "cat-file", "-e", `${commit}^{commit}`]);
    return undefined;
  } catch {
    return `this clone lacks commit ${commit} of release ${version}; get it: git fetch origin ${commit}`;
  }
}

/**
 * Makes the programs of a kept release from its commit, in a folder outside the repository that serves every checkout. A build
 * is renamed to its place when it is complete: what was killed half-way is never used, and of two at once the first one stays.
 */
export async function buildRelease(kept: KeptRelease, place = PLACE): Promise<BuiltRelease> {
  const folder = join(place.cache, kept.commit);
  await makeWhole(folder, place.cache, (out) => unpack(kept.commit, place.checkout, out));
  const programs = join(folder, "programs");
  await makeWhole(programs, place.cache, async (out) => void (await bundlePrograms({ checkout: folder, out })));
  const node = join(folder, "node_modules/node/bin/node");
  const storectl = join(folder, "src/bin/storectl.ts");
  return {
    ...kept,
    folder,
    command: [node, join(programs, "store.js")],
    bundle: async () => (await exec(node, [storectl, "bundle", "generate", kept.runsAs.operator])).stdout,
  };
}

function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "store-enterprise/releases");
}

/** Makes a folder that is not there yet. */
async function makeWhole(target: string, cache: string, fill: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return;
  await mkdir(cache, { recursive: true });
  await removeUnfinished(cache);
  const folder = await mkdtemp(join(cache, `${UNFINISHED}${process.pid}-`));
  try {
    await fill(folder);
    await rename(folder, target).catch((error: unknown) => {
      // another process was faster, and its build is as good
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpack(commit: string, checkout: string, folder: string): Promise<void> {
  const archive = join(folder, ".archive.tar");
  await exec("git", ["-C", checkout, "archive", "--format=tar", `--output=${archive}`, commit]);
  await exec("tar", ["-xf", archive, "-C", folder]);
  await rm(archive);
  await installDependencies(checkout, folder);
}

/** What processes that no longer run have left. */
async function removeUnfinished(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = Number(name.slice(UNFINISHED.length).split("-")[0]);
    if (name.startsWith(UNFINISHED) && !isRunning(pid)) await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
