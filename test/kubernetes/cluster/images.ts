import { copyFileSync, globSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Launcher } from "../machine/processes.ts";
import { runWell } from "./command.ts";
import { CONTAINERD_SOCKET, containerdRoot, startContainerd, writeContainerdConfig } from "./containerd.ts";
import { createMachine } from "./machine.ts";
import { mountNode } from "./mounts.ts";

const WITHIN_MS = 300_000;

/** Unpacks the images of archives once, for every node, and returns the folder: what the containerd of a node would keep. */
export async function collectImages(launcher: Launcher, assets: string, archives: readonly string[]): Promise<string> {
  const disk = join(launcher.folder, "images");
  const machine = await createMachine(launcher, assets, "images");
  await mountNode(machine, disk);
  await startContainerd(machine, assets, writeContainerdConfig({ disk, assets }, join(disk, "network")));
  const ctr = [...machine.inside, join(assets, "ctr"), "--address", CONTAINERD_SOCKET, "--namespace", "k8s.io"];
  for (const archive of archives) await runWell([...ctr, "images", "import", archive], { timeoutMs: WITHIN_MS });
  await machine.cutPower();
  return containerdRoot(disk);
}

/** Gives the images to a node whose containerd does not run yet. No program changes a layer, so nodes share its files. */
export async function plantImages(images: string, root: string): Promise<void> {
  mkdirSync(dirname(root), { recursive: true });
  await runWell(["cp", "--archive", "--link", images, root], { timeoutMs: WITHIN_MS });
  for (const database of globSync(join(root, "**/*.db"))) {
    copyFileSync(database, `${database}.own`);
    renameSync(`${database}.own`, database);
  }
}
