import { readFileSync } from "node:fs";

/** Memory of a process now and at most, in MiB; undefined where the system does not say. */
export function memoryOf(pid: number): { readonly now: number; readonly most: number } | undefined {
  if (process.platform !== "linux") return undefined;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: of("VmRSS"), most: of("VmHWM") };
}
