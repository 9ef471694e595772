import { assertNever } from "#kit/base/assert-never";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { Finding } from "../../../core/api/parts.ts";
import type { BackupAct, RunDecision } from "../../../core/backup/decide.ts";
import { isUnknownForGood } from "../../../core/backup/decide-proof.ts";
import { conditionWords } from "../../../core/planner/findings/statement.ts";
import type { BackupRecord } from "../../../ports/management/records/backups.ts";
import { reportProof, type BackupReportDeps, type ProofReport, type StoredBackup } from "./report.ts";

/** What is done about the proof of a backup that is complete. */
interface DecidedProof {
  readonly decision: RunDecision<BackupAct>;
  readonly seen: BackupRecord | undefined;
  /** Asks the cluster for it; why when it does not take it. */
  readonly begin: () => Promise<Finding | undefined>;
}

/** Follows the proof of a backup, and says on the object how it stands. */
export async function followProof(
  deps: BackupReportDeps,
  object: StoredBackup,
  { decision: { step, afterMs }, seen, begin }: DecidedProof,
): Promise<Outcome> {
  const say = async (report: Omit<ProofReport, "seen" | "isBegun">, isBegun = false): Promise<Outcome> => {
    await reportProof(deps, object, { ...report, isBegun, seen });
    return afterMs === undefined ? AT_REST : lookAgain(afterMs);
  };
  if (step.kind === "rest") return AT_REST;
  if (step.kind === "wait") return say({ status: "Unknown", ...conditionWords(step.wait) });
  switch (step.act.kind) {
    case "begin": {
      const refused = await begin();
      if (refused === undefined) return say(VERIFYING, true);
      await say({ status: "Unknown", ...conditionWords(refused) });
      return lookAgain(REFUSED_MS);
    }
    case "follow":
      return say(VERIFYING);
    case "complete":
      return say({ status: "True", reason: "Loaded", message: loadedBy(seen) });
    case "fail": {
      const { finding } = step.act;
      return say({ status: isUnknownForGood(finding) ? "Unknown" : "False", ...conditionWords(finding) });
    }
    default:
      return assertNever(step.act);
  }
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
