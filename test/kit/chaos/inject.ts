import { readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { assertNever } from "#kit/base/assert-never";
import type { Fault, Part, Place, Scheduled } from "./schedule.ts";
import type { Scene } from "./scene.ts";

/** Ends a fault. */
export type End = () => void;

const nothing: End = () => undefined;

/** Begins a fault; it lasts until its end is called. */
export async function inject({ what: fault, share }: Scheduled<Fault>, scene: Scene): Promise<End> {
  const { cluster, network } = scene;
  switch (fault.kind) {
    case "kill":
      return kill(fault.part, await locate(scene, fault.at, share), scene);
    case "freeze":
      return freeze(fault.part, await locate(scene, fault.at, share), scene);
    case "cut":
      return network.cut(fault.pair, fault.how);
    case "api":
      for (const node of fault.nodes) cluster.api(node).cut(fault.how);
      return () => {
        for (const node of fault.nodes) cluster.api(node).mend();
      };
    case "full":
      return fill(scene.volume(await locate(scene, fault.at, share)));
    case "slow": {
      const shim = scene.shims.get(await locate(scene, fault.at, share));
      shim?.slow(fault.delayMs);
      return () => shim?.slow(0);
    }
    case "clock":
      // it stays: a clock that was set wrong is not set right by the end of a fault
      scene.shims.get(await locate(scene, fault.at, share))?.step(fault.byMinutes);
      return nothing;
    default:
      return assertNever(fault);
  }
}

/** The node that a place is at this moment, as the record has it; `share` chooses the shard. */
export async function locate({ record }: Scene, place: Place, share: Scheduled<unknown>["share"]): Promise<number> {
  if (typeof place === "number") return place;
  const { shards } = await record();
  const shard = shards[Math.floor(share * shards.length)];
  const primary = shard?.instances.find(({ id }) => id === shard.primary);
  const replica = shard?.instances.find(({ id }) => id !== shard.primary);
  return (place === "primary" ? primary : (replica ?? primary))?.node ?? 1;
}

async function kill(part: Part, node: number, scene: Scene): Promise<End> {
  if (part === "node") {
    scene.down.add(node);
    await scene.cluster.kill(node);
    return () => void scene.down.delete(node);
  }
  for (const pid of await processes(part, node, scene)) signal(pid, "SIGKILL");
  return nothing;
}

async function freeze(part: Part, node: number, scene: Scene): Promise<End> {
  if (part === "node") {
    signal(-scene.cluster.pid(node), "SIGSTOP");
    return () => signal(-scene.cluster.pid(node), "SIGCONT");
  }
  const pids = await processes(part, node, scene);
  for (const pid of pids) signal(pid, "SIGSTOP");
  return () => {
    for (const pid of pids) signal(pid, "SIGCONT");
  };
}

async function processes(part: Exclude<Part, "node">, node: number, scene: Scene): Promise<readonly number[]> {
  const agent = scene.cluster.pid(node);
  switch (part) {
    case "agent":
      return [agent];
    case "proxy":
      return childrenOf(agent).filter((pid) => /store\.ts\0proxy/.test(read(`/proc/${pid}/cmdline`)));
    case "engine":
      return childrenOf(agent).filter((pid) => /-server/.test(read(`/proc/${pid}/cmdline`)));
    default:
      return assertNever(part);
  }
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const stat = read(`/proc/${pid}/stat`);
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(parent);
    })
    .map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: it has ended
  }
}

/** Takes all that is left of a volume. */
function fill(folder: string): End {
  const filler = join(folder, "filler");
  let said = "";
  for (let attempt = 0; attempt < FILL_ATTEMPTS; attempt++) {
    const { bavail, bsize } = statfsSync(folder);
    const { status, stderr } = spawnSync("fallocate", ["--length", String(Math.max(bavail * bsize, 1)), filler]);
    if (status === 0) return () => rmSync(filler, { force: true });
    said = String(stderr);
  }
  throw new Error(`${filler} cannot be made: ${said}`);
}

/** An engine that writes takes some of what was free, and one that has rewritten its file gives some back. */
const FILL_ATTEMPTS = 100;
