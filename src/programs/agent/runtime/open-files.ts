import { readFileSync } from "node:fs";
import { Fault } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";

/** With fewer an engine accepts fewer clients than its default of 10,000, without a warning. */
const NEEDED = 10_240;
const LIMITS = "/proc/self/limits";

/**
 * Refuses to start a node that may open too few files, sockets among them: AGENT_TOO_FEW_FILES. Node raises its own soft
 * limit to the hard one, so the hard one counts. Passes on a system that does not report its limits.
 */
export function checkOpenFiles(limits = readLimits()): void {
  const [, hard = ""] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  const limit = /^\d+$/.test(hard) ? Number(hard) : Number.POSITIVE_INFINITY;
  if (limit >= NEEDED) return;
  const message = `this node may open ${limit} files and needs ${NEEDED}: clients and replicas are files too`;
  throw new Fault(faults.tooFewFiles, message, { limit, needed: NEEDED });
}

function readLimits(): string {
  try {
    return readFileSync(LIMITS, "utf8");
  } catch {
    return ""; // not Linux
  }
}
