import { findAssets } from "../assets/assets.ts";
import { runCluster } from "./run-cluster.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import { clearHome, createHome, orClearHome } from "../machine/home.ts";
import { launcher } from "../machine/processes.ts";

/** Starts a cluster and waits until its nodes are ready. Any number can run at once. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const found = findAssets("nodes");
  if ("reason" in found) throw new Error(found.reason);
  const folder = await createHome("cluster");
  const cluster = await orClearHome(folder, runCluster(options, launcher(folder, "bound"), found.folder));
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await clearHome(folder);
  };
  return { ...cluster, stop, [Symbol.asyncDispose]: stop };
}
