import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";

/** A process of the bench, and what the kernel says it uses. */
export interface Program {
  /** Resident memory, in MiB; `peak` since it started. */
  memory(): { readonly now: number; readonly peak: number };
  /** Processor time used so far, in seconds. */
  cpu(): number;
  /** Ends it; throws when it had ended by itself. */
  stop(): Promise<void>;
}

/** Ticks of the counters in /proc a second: the same on every Linux that Node runs on. */
const TICKS = 100;

/** Runs a TypeScript or JavaScript file, its output in `log`. */
export function startProgram(args: readonly string[], env: Readonly<Record<string, string>>, log: string): Program {
  const output = openSync(log, "w");
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", output, output],
  });
  const status = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) /
    1024;
  return {
    memory: () => ({ now: status("VmRSS"), peak: status("VmHWM") }),
    cpu: () => {
      const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
      // the name in the second field may hold blanks: fields are counted from its end
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    },
    stop: async () => {
      if (child.exitCode !== null) throw new Error(`it has ended with ${child.exitCode}; see ${log}`);
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
