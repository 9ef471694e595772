import type { BackupPhase, BackupSpec, BackupStatus } from "../api/backup-spec.ts";
import type { Finding } from "../api/parts.ts";
import { decideBackup, type BackupAct, type RunDecision, type SeenBackup } from "./decide.ts";

/** How the cluster says that a backup and the attempt to load it stand. */
export interface SeenProof extends SeenBackup {
  readonly verification?: Pick<SeenBackup, "failure"> & { readonly status: "running" | "passed" | "failed" };
}

/** What a decision about the proof of a backup that is complete rests on; times in milliseconds since 1970. */
export interface ProofFacts {
  /** Its name in the object store. */
  readonly name: string;
  readonly spec: ProofSpec;
  readonly status: ProofStatus;
  readonly deadlineMs: number;
  readonly now: number;
  readonly seen: SeenProof | undefined;
  readonly obstacle: Finding | undefined;
}

/** What is asked for. */
type ProofSpec = Pick<BackupSpec, "verify" | "verifyRequest">;
/** What is known. */
type ProofStatus = Pick<BackupStatus, "completionTime" | "conditions" | "verification">;

/** Whether an engine is to load the backup, and it is not known yet what comes of it. */
export function isProofAwaited(spec: ProofSpec, status: ProofStatus): boolean {
  return spec.verify !== false && phaseOf(spec, status) === undefined;
}

/** What is to be done now, by the rules of the backup itself: one that cannot be loaded has failed, and what may pass is tried again until the deadline. */
export function decideProof({
  name,
  spec,
  status,
  deadlineMs,
  now,
  seen,
  obstacle,
}: ProofFacts): RunDecision<BackupAct> {
  const { completionTime, verification = {} } = status;
  // what came of an earlier request is no answer to this one
  const own = isAnswered(spec, status) ? verification : undefined;
  const askedAt = spec.verifyRequest === undefined ? completionTime : own?.requestTime;
  return decideBackup({
    name,
    phase: phaseOf(spec, status),
    attempts: own?.attempts ?? 0,
    begunAt: own?.startTime === undefined ? undefined : Date.parse(own.startTime),
    madeAt: askedAt === undefined ? now : Date.parse(askedAt),
    deadlineMs,
    now,
    seen: seen === undefined || own === undefined ? undefined : proofIn(seen),
    obstacle,
  });
}

/** Whether it is not known and nothing more is done about it: that is no proof of the contrary. */
export function isUnknownForGood({ id }: Finding): boolean {
  return id === TOO_LATE;
}

function isAnswered({ verifyRequest }: ProofSpec, { verification }: ProofStatus): boolean {
  return verifyRequest === undefined || verification?.request === verifyRequest;
}

/** What is known of it; undefined: it is looked at. */
function phaseOf(spec: ProofSpec, status: ProofStatus): BackupPhase | undefined {
  const before = status.conditions?.find(({ type }) => type === "Restorable");
  if (before === undefined || !isAnswered(spec, status)) return undefined;
  const isOver = before.status === "False" || before.reason === TOO_LATE;
  return before.status === "True" ? "Completed" : isOver ? "Failed" : undefined;
}

/** A backup of which this leader knows that it is there, and nothing of a proof, is one to begin with. */
function proofIn({ verification, ...backup }: SeenProof): SeenBackup | undefined {
  if (backup.status !== "completed") return backup;
  if (verification === undefined) return undefined;
  const { status, ...more } = verification;
  return { name: backup.name, status: status === "passed" ? "completed" : status, ...more };
}

const TOO_LATE = "DeadlineExceeded";
