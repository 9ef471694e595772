import type { Finding } from "../../../core/api/parts.ts";
import { block, warn } from "../../../core/planner/findings/finding.ts";
import type { Drift } from "../../../core/planner/database/plan.ts";

/** The finding that says that the database is at a higher version than its object. */
export function driftFinding(drift: Drift | undefined): Finding | undefined {
  if (drift === undefined) return undefined;
  const { reason: id, evidence, remedy } = drift;
  return id === "DowngradeRefused" ? block(id, evidence, remedy) : warn(id, evidence, remedy);
}
