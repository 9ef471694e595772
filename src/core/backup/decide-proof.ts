import type { BackupStatus } from "../api/backup-spec.ts";
import { decideBackup, type BackupReason, type BackupStep, type SeenBackup } from "./decide.ts";

/** How the cluster says that a backup and the attempt to load it stand. */
export interface SeenProof extends SeenBackup {
  readonly verification?: Pick<SeenBackup, "failure"> & { readonly status: "running" | "passed" | "failed" };
}

/** What a decision about the proof of a backup that is complete rests on; times in milliseconds since 1970. */
export interface ProofFacts {
  /** Its name in the object store. */
  readonly name: string;
  readonly status: Pick<BackupStatus, "completionTime" | "conditions" | "verification">;
  readonly deadlineMs: number;
  readonly now: number;
  readonly seen: SeenProof | undefined;
  readonly obstacle: BackupReason | undefined;
}

/** What is to be done now, by the rules of the backup itself: one that cannot be loaded has failed, and what may pass is tried again until the deadline. */
export function decideProof({ name, status, deadlineMs, now, seen, obstacle }: ProofFacts): BackupStep {
  const { completionTime, conditions = [], verification = {} } = status;
  const before = conditions.find(({ type }) => type === "Restorable");
  const isOver = before?.status === "False" || before?.reason === TOO_LATE;
  return decideBackup({
    name,
    phase: before?.status === "True" ? "Completed" : isOver ? "Failed" : "Pending",
    attempts: verification.attempts ?? 0,
    begunAt: verification.startTime === undefined ? undefined : Date.parse(verification.startTime),
    madeAt: completionTime === undefined ? now : Date.parse(completionTime),
    deadlineMs,
    now,
    seen: seen === undefined ? undefined : proofIn(seen),
    obstacle,
  });
}

/** Whether it is not known and nothing more is done about it: that is no proof of the contrary. */
export function isUnknownForGood({ reason }: BackupReason): boolean {
  return reason === TOO_LATE;
}

/** A backup of which this leader knows that it is there, and nothing of a proof, is one to begin with. */
function proofIn({ verification, ...backup }: SeenProof): SeenBackup | undefined {
  if (backup.status !== "completed") return backup;
  if (verification === undefined) return undefined;
  const { status, ...more } = verification;
  return { name: backup.name, status: status === "passed" ? "completed" : status, ...more };
}

const TOO_LATE = "DeadlineExceeded";
