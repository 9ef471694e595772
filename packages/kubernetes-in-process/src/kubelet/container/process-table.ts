import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isSameProcess } from "./same-process.ts";
import { signalProcess } from "../../../../controller-kit/src/processes/signal-process.ts";

/**
 * A folder with one file per process group, named by its id and written by the process itself before it becomes the
 * program. It outlives this process, so nothing that was started can be forgotten:
 *
 *   this process is killed → the reaper sees its pipe close and kills every group in the folder
 *   the reaper is killed too → the next start kills what is still there
 *
 * Each owner has a folder of its own, so a reaper that is still at work never meets the processes of the next owner.
 */
export interface ProcessTable {
  /** The command line that registers itself and then becomes `command`. */
  wrap(command: readonly string[]): readonly string[];
  /** Strikes a group off once none of it is left. */
  forget(pid: number): Promise<void>;
  /** Ends the reaper; call when every process has ended. */
  close(): void;
}

const REGISTER = 'echo >"$1/$$" && shift && exec "$@"';

// the second pass catches a process that was being born when the first one read the folder
const REAP = `
read -r word
[ "$word" = done ] && exit
for pass in 1 2; do
  for file in "$0"/*; do
    [ -e "$file" ] || continue
    kill -s KILL -- "-\${file##*/}" 2>/dev/null
    rm -f "$file"
  done
  [ "$pass" = 1 ] && sleep 0.3
done
rmdir "$0"`;

/** Opens a table below `parent`, ends what earlier owners left behind there, and starts the reaper. */
export async function openProcessTable(parent: string): Promise<ProcessTable> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (const name of await readdir(parent)) await reapLeftovers(join(parent, name));
  const folder = await mkdtemp(join(parent, "owner-"));
  const reaper = spawn("/bin/sh", ["-c", REAP, folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  reaper.unref();
  return {
    wrap: (command) => ["/bin/sh", "-c", REGISTER, "kubelet", folder, ...command],
    forget: (pid) => rm(join(folder, String(pid)), { force: true }),
    close: () => {
      reaper.stdin.end("done\n");
    },
  };
}

async function reapLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const pid = Number(name);
    if (
      Number.isInteger(pid) &&
      pid > 1 &&
      (await isSameProcess(pid, (await stat(file)).mtimeMs, "when it was written"))
    )
      signalProcess(-pid, "SIGKILL");
  }
  await rm(folder, { recursive: true, force: true });
}
