import { join } from "node:path";
import { runWell } from "./command.ts";
import type { Machine } from "./machine.ts";
import { CONTAINERD_SOCKET } from "./node-config.ts";

const WITHIN_MS = 300_000;

/** Gives the containerd of a node the images of archives. */
export async function importImages(node: Machine, assets: string, archives: readonly string[]): Promise<void> {
  const ctr = [...node.inside, join(assets, "ctr"), "--address", CONTAINERD_SOCKET, "--namespace", "k8s.io"];
  for (const archive of archives) await runWell([...ctr, "images", "import", archive], { timeoutMs: WITHIN_MS });
}
