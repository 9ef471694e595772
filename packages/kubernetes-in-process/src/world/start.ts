import { readFileSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startApiServer } from "../apiserver/server.ts";
import { connect } from "../../../controller-kit/src/kube/client.ts";
import type { Kube } from "../../../controller-kit/src/kube/kube.ts";
import { readKubeconfig } from "../../../controller-kit/src/kube/kubeconfig.ts";
import { systemClock } from "../../../controller-kit/src/reconcile/system-clock.ts";
import { lockWorld } from "./lock.ts";
import { lateLogs, startPrograms } from "./programs.ts";
import type { WorldOptions } from "./options.ts";
import { unlessMissing } from "../../../controller-kit/src/files/unless-missing.ts";

/** A Kubernetes on this machine: API server, controllers, and a kubelet that runs pods as processes. */
export interface World {
  readonly url: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** First two octets of all its addresses, for instance "127.42.". */
  readonly subnet: string;
  /** An administrator's way to its API. */
  readonly kube: Kube;
  /** Ends every process and closes everything; `dir` can be started again. */
  stop(): Promise<void>;
}

const API_PORT = 6443;

/**
 * Starts the world of `dir` and resolves when it takes work; WORLD_IN_USE, WORLD_SUBNET_TAKEN or WORLD_NO_LOOPBACK when it
 * cannot have its place.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const { dir, log } = options;
  const lock = await lockWorld(dir, await keptSubnet(dir));
  const closers = [() => lock.release()];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return { ...(await open(options, lock.subnet, closers)), stop };
  } catch (error) {
    log.error("the world could not be started", { error });
    await stop();
    throw error;
  }
}

/** Opens one part after the other, and notes how each is closed. */
async function open(
  options: WorldOptions,
  subnet: string,
  closers: (() => Promise<void>)[],
): Promise<Omit<World, "stop">> {
  const { dir, log } = options;
  await writeWhole(join(dir, "subnet"), subnet);
  const logs = lateLogs();
  const server = await startApiServer({
    dataDir: join(dir, "api"),
    host: `${subnet}0.1`,
    port: API_PORT,
    serviceCidr: { prefix: `${subnet}250.` },
    clock: systemClock,
    log: log.with({ part: "apiserver" }),
    podLogs: logs.podLogs,
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    ...(options.kubernetesVersion === undefined ? {} : { kubernetesVersion: options.kubernetesVersion }),
  });
  closers.push(() => server.close());
  const kubeconfig = join(dir, "kubeconfig");
  await writeWhole(kubeconfig, server.kubeconfigs.admin);
  const kube = connect(readKubeconfig([kubeconfig], (path) => readFileSync(path, "utf8")));
  closers.push(() => kube.close());
  const programs = await startPrograms({ ...options, subnet, server, kube, logs });
  closers.push(() => programs.stop());
  const description = { pid: process.pid, url: server.url, subnet, startedAt: systemClock.now().toISOString() };
  await writeWhole(join(dir, "world.json"), `${JSON.stringify(description, undefined, 2)}\n`);
  closers.push(() => rm(join(dir, "world.json"), { force: true }));
  return { url: server.url, kubeconfig, subnet, kube };
}

async function keptSubnet(dir: string): Promise<string | undefined> {
  const text = (await unlessMissing(readFile(join(dir, "subnet"), "utf8"))) ?? ""; // the first start of this folder
  return /^127\.\d{1,3}\.$/.test(text) ? text : undefined;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
