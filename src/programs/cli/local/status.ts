import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { kubeconfigPath, runningWorld } from "./world-file.ts";
import { namedValues } from "../console/output.ts";
import { unlessMissing } from "#kit/files/unless-missing";

/** What `storectl local status` prints. */
export interface LocalStatus {
  readonly state: "running" | "stopped";
  readonly dir: string;
  readonly pid?: number;
  readonly url?: string;
  readonly subnet?: string;
  readonly startedAt?: string;
  readonly kubeconfig?: string;
  /** Programs of pods that run as processes. */
  readonly processes?: number;
}

/** Looks at the world of `dir`. */
export async function localStatus(dir: string): Promise<LocalStatus> {
  const world = await runningWorld(dir);
  if (world === undefined) return { state: "stopped", dir };
  return { state: "running", dir, ...world, kubeconfig: kubeconfigPath(dir), processes: await processes(dir) };
}

/** For people: one fact a line. */
export function describeStatus(status: LocalStatus): string {
  if (status.state === "stopped") return `The world in ${status.dir} is stopped.\n`;
  const rows: [string, string | undefined][] = [
    ["state", status.state],
    ["folder", status.dir],
    ["api", status.url],
    ["addresses", `${status.subnet ?? ""}0.0/16`],
    ["since", status.startedAt],
    ["process", String(status.pid)],
    ["programs", String(status.processes)],
    ["kubectl", `export KUBECONFIG=${status.kubeconfig ?? ""}`],
  ];
  return namedValues(
    rows.map(([name, value = ""]) => [name, value]),
    11,
  );
}

async function processes(dir: string): Promise<number> {
  const table = join(dir, "kubelet", "processes");
  const owners = (await unlessMissing(readdir(table))) ?? []; // nothing has run yet
  const lists = await Promise.all(owners.map((owner) => unlessMissing(readdir(join(table, owner))))); // just ended
  return lists.flatMap((list) => list ?? []).length;
}
