import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { exclusively } from "./machine/exclusive.ts";
import { LEVELS, type Level } from "./assets/assets.ts";
import { runCluster } from "./cluster/run-cluster.ts";
import { runControlPlane, type ControlPlane } from "./control-plane/control-plane.ts";
import { clearHome, LASTING_HOME, orClearHome, sweep } from "./machine/home.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { launcher, notedProcesses } from "./machine/processes.ts";

/** The Kubernetes of this machine that outlives the command that started it, for people. */
export interface Lasting {
  readonly level: Level;
  readonly nodes: number;
  readonly server: string;
  readonly kubeconfig: string;
  /** Folder of kubectl, helm and the other programs. */
  readonly assets: string;
}

/** Who runs of it, and who should but does not. */
export interface LastingStatus extends Lasting {
  readonly running: readonly string[];
  readonly ended: readonly string[];
}

const Stored = z.object({
  level: z.enum(LEVELS),
  nodes: z.number(),
  server: z.string(),
  kubeconfig: z.string(),
  assets: z.string(),
});

/** Starts one, after clearing away what is left of an earlier one; the one that runs already is left as it is. */
export async function bringUp(
  wanted: { readonly level: Level; readonly nodes: number; readonly images: readonly string[] },
  assets: string,
): Promise<{ readonly lasting: Lasting; readonly already: boolean }> {
  return await exclusively(LASTING_HOME, ignoreWaiting, async () => {
    const status = lookAtLasting();
    if (status !== undefined && status.ended.length === 0) return { lasting: status, already: true };
    await sweep();
    await clearHome(LASTING_HOME);
    mkdirSync(LASTING_HOME, { recursive: true, mode: 0o700 });
    const { server, kubeconfig, kube } = await orClearHome(LASTING_HOME, start(wanted, assets));
    await kube.close();
    const lasting = { level: wanted.level, nodes: wanted.nodes, server, kubeconfig, assets };
    writeFileSync(STATE, JSON.stringify(lasting));
    return { lasting, already: false };
  });
}

/** Ends it with everything that it brought to this machine, and clears away what killed tests left; false when there is none. */
export async function takeDown(): Promise<boolean> {
  return await exclusively(LASTING_HOME, ignoreWaiting, async () => {
    const wasThere = existsSync(LASTING_HOME);
    await sweep();
    await clearHome(LASTING_HOME);
    return wasThere;
  });
}

/** What there is; undefined when there is none, or one that did not come up. */
export function lookAtLasting(): LastingStatus | undefined {
  if (!existsSync(STATE)) return undefined;
  const lasting = Stored.parse(JSON.parse(readFileSync(STATE, "utf8")));
  const processes = notedProcesses(LASTING_HOME, readdirSync(join(LASTING_HOME, "pids")));
  const names = (isAlive: boolean): string[] =>
    processes.filter((noted) => noted.isAlive === isAlive).map(({ name }) => name);
  return { ...lasting, running: names(true), ended: names(false) };
}

/** Prefix of a command that then runs where addresses of pods and Services are reachable; undefined when there are no nodes. */
export function insideLasting(): readonly string[] | undefined {
  const [center] = existsSync(STATE) ? notedProcesses(LASTING_HOME, ["center"]) : [];
  return center?.isAlive === true ? ["nsenter", "--target", String(center.pid), "--net", "--mount", "--"] : undefined;
}

const STATE = join(LASTING_HOME, "state.json");

function ignoreWaiting(): void {
  // a process that waits for another command of the same kind needs no message
}

async function start(
  { level, nodes, images }: { readonly level: Level; readonly nodes: number; readonly images: readonly string[] },
  assets: string,
): Promise<ControlPlane> {
  const programs = launcher(LASTING_HOME, "free");
  if (level === "nodes") return (await runCluster({ nodes, images }, programs, assets)).controlPlane;
  const address = loopbackAddress();
  const addresses = { api: address, own: address, outside: address };
  return await runControlPlane({}, { launcher: programs, assets, addresses, inside: [] });
}
