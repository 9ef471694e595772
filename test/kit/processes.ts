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

/** The running processes whose environment names `dir` or whose command line names an address of `subnet`. */
export async function worldProcesses(dir: string, subnet: string): Promise<readonly WorldProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => look(Number(pid), dir, subnet)));
  return found.filter((one) => one !== undefined);
}

async function look(pid: number, dir: string, subnet: string): Promise<WorldProcess | undefined> {
  // a process may end between two looks: then it is not there
  const [cmdline = "", environ = "", stat = ""] = await Promise.all(
    ["cmdline", "environ", "stat"].map((file) => readFile(join("/proc", String(pid), file), "utf8").catch(() => "")),
  );
  const command = cmdline.replaceAll("\0", " ").trim();
  // an engine overwrites its environment with its title, which has its address
  const isOurs = environ.includes(dir) || command.includes(subnet);
  if (!isOurs || command === "") return undefined;
  // the name in the second field may hold blanks and brackets: fields are counted from its end
  const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  const pod = /(?:^|\0)POD_NAME=([^\0]*)/.exec(environ)?.[1] ?? "";
  return { pid, parent, command, pod };
}
