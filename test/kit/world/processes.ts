import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A process of a world. */
export interface WorldProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its command line, words separated by blanks. */
  readonly command: string;
  /** Name of the pod whose container it is; "" for one that a container has started. */
  readonly pod: string;
}

/**
 * The running processes of a world: their environment names `dir`, their command line an address of `subnet`, or they are
 * children of such a process.
 */
export async function worldProcesses(dir: string, subnet: string): Promise<readonly WorldProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map((pid) => look(Number(pid))))).filter((one) => one !== undefined);
  // an engine overwrites its environment with its title, which has its address
  const named = all.filter(({ environment, command }) => environment.includes(dir) || command.includes(subnet));
  const children = all.filter((one) => !named.includes(one) && named.some(({ pid }) => pid === one.parent));
  return [...named, ...children];
}

async function look(pid: number): Promise<(WorldProcess & { readonly environment: string }) | undefined> {
  // a process may end between two looks: then it is not there
  const [cmdline = "", environment = "", stat = ""] = await Promise.all(
    ["cmdline", "environ", "stat"].map((file) => readFile(join("/proc", String(pid), file), "utf8").catch(() => "")),
  );
  const command = cmdline.replaceAll("\0", " ").trim();
  if (command === "") return undefined;
  // the name in the second field may hold blanks and brackets: fields are counted from its end
  const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  const pod = /(?:^|\0)POD_NAME=([^\0]*)/.exec(environment)?.[1] ?? "";
  return { pid, parent, command, pod, environment };
}
