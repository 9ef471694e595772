import { assertNever } from "#kit/base/assert-never";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { BackupReason, BackupStep } from "../../../core/backup/decide.ts";
import { FOLLOW_MS } from "../../../core/backup/decide.ts";
import { isUnknownForGood } from "../../../core/backup/decide-proof.ts";
import type { BackupRecord } from "../../../ports/management/records/backups.ts";
import { reportProof, type BackupReportDeps, type ProofReport, type StoredBackup } from "./report.ts";

/** What is done about the proof of a backup that is complete. */
interface DecidedProof {
  readonly step: BackupStep;
  readonly seen: BackupRecord | undefined;
  /** Asks the cluster for it; the reason when it does not take it. */
  readonly begin: () => Promise<BackupReason | undefined>;
}

/** Follows the proof of a backup, and says on the object how it stands. */
export async function followProof(
  deps: BackupReportDeps,
  object: StoredBackup,
  { step, seen, begin }: DecidedProof,
): Promise<Outcome> {
  const say = async (report: Omit<ProofReport, "seen">, outcome: Outcome): Promise<Outcome> => {
    await reportProof(deps, object, { ...report, seen });
    return outcome;
  };
  switch (step.kind) {
    case "rest":
      return AT_REST;
    case "begin": {
      const refused = await begin();
      if (refused !== undefined) return say({ status: "Unknown", ...refused, isBegun: false }, lookAgain(REFUSED_MS));
      return say({ ...VERIFYING, isBegun: true }, lookAgain(FOLLOW_MS));
    }
    case "follow":
      return say({ ...VERIFYING, isBegun: false }, lookAgain(FOLLOW_MS));
    case "wait":
      return say({ status: "Unknown", ...reasonOf(step), isBegun: false }, lookAgain(step.afterMs));
    case "complete":
      return say({ status: "True", reason: "Loaded", message: loadedBy(seen), isBegun: false }, AT_REST);
    case "fail":
      return say({ status: isUnknownForGood(step) ? "Unknown" : "False", ...reasonOf(step), isBegun: false }, AT_REST);
    default:
      return assertNever(step);
  }
}

function reasonOf({ reason, message }: BackupReason): BackupReason {
  return { reason, message };
}

function loadedBy(seen: BackupRecord | undefined): string {
  const files = seen?.verification?.files ?? [];
  const engines = [...new Set(files.map(({ engine }) => engine))].join(", ");
  const sum = (of: "keys" | "expired_keys"): number => files.reduce((all, file) => all + file[of], 0);
  return `${engines} has loaded ${files.length} files with ${sum("keys")} keys; ${sum("expired_keys")} had expired`;
}

const VERIFYING = { status: "Unknown", reason: "Verifying", message: "an engine without clients loads it" } as const;
/** How soon a cluster is asked again that has refused, in milliseconds. */
const REFUSED_MS = 5_000;
