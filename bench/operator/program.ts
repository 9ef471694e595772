import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { processorSecondsOf, statOf } from "../kernel/processor-time.ts";

/** A process of the bench, and what the kernel says it uses. */
export interface Program {
  /** Resident memory, in MiB; `peak` since it started. */
  memory(): { readonly now: number; readonly peak: number };
  /** Processor time used so far, in seconds. */
  cpu(): number;
  /** Ends it; throws when it had ended before. */
  stop(): Promise<void>;
}

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
    cpu: () => processorSecondsOf(child.pid ?? 0),
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
  const own = all.flatMap((pid) => (existsSync(`/proc/${pid}/stat`) ? [statOf(Number(pid))] : []));
  return own
    .filter(({ name, parent }) => parent === process.pid && names.includes(name))
    .reduce((sum, { cpu }) => sum + cpu, 0);
}
