import { readFileSync } from "node:fs";

/**
 * How many files this process may open, sockets among them. Node raises its own soft limit to the hard one, so the hard one counts.
 * Infinity where there is no limit, and on a system that does not report one.
 */
export function openFileLimit(limits = readLimits()): number {
  const [, hard = ""] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  return /^\d+$/.test(hard) ? Number(hard) : Number.POSITIVE_INFINITY;
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return ""; // not Linux
  }
}
