import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs";

/** A process of the bench, and what the kernel says it uses. */
export interface Program {
  /** Resident memory, in MiB; `peak` since it started. */
  memory(): { readonly now: number; readonly peak: number };
  /** Processor time used so far, in seconds. */
  cpu(): number;
  /** Ends it; throws when it had ended before. */
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
    cpu: () => statOf(String(child.pid)).cpu,
    stop: async () => {
      if (child.exitCode !== null) throw new Error(`it has ended with ${child.exitCode}; see ${log}`);
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Processor time used so far, in seconds, by what this process started and is called one of `names`. */
export function cpuOfOwn(names: readonly string[]): number {
  const all = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  const own = all.flatMap((pid) => (existsSync(`/proc/${pid}/stat`) ? [statOf(pid)] : []));
  return own
    .filter(({ name, parent }) => parent === process.pid && names.includes(name))
    .reduce((sum, { cpu }) => sum + cpu, 0);
}

function statOf(pid: string): { readonly name: string; readonly parent: number; readonly cpu: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // the name in the second field may hold blanks: fields are counted from its end
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS;
  return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(fields[1]), cpu };
}
