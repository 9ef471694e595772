import { backoffMs } from "#kit/base/backoff";
import type { BackupPhase } from "../api/backup-spec.ts";

/** How the cluster says that a backup stands. */
export interface SeenBackup {
  /** Its name in the object store. */
  readonly name: string;
  readonly status: "running" | "completed" | "failed";
  readonly failure?: SeenFailure;
}

/** Why it has failed. */
export interface SeenFailure {
  readonly error_code: string;
  readonly description: string;
  readonly remedy: string;
  /** Whether the same may come to a better end later. */
  readonly retry: "never" | "backoff";
}

/** What keeps a backup from being begun, or what became of it. */
export interface BackupReason {
  readonly reason: string;
  readonly message: string;
}

/** What a decision about an object that asks for a backup rests on; times in milliseconds since 1970. */
export interface BackupFacts {
  /** Its name in the object store, which no other object has. */
  readonly name: string;
  readonly phase: BackupPhase | undefined;
  readonly attempts: number;
  /** When the last attempt was begun; undefined before the first. */
  readonly begunAt: number | undefined;
  readonly madeAt: number;
  readonly deadlineMs: number;
  readonly now: number;
  /** The last backup of the database; undefined: the cluster knows none, or is not asked because of `obstacle`. */
  readonly seen: SeenBackup | undefined;
  /** Why the cluster cannot be asked, or may not be. */
  readonly obstacle: BackupReason | undefined;
}

/** What is to be done about an object that asks for a backup. */
export type BackupStep =
  /** It has come to its end. */
  | { readonly kind: "rest" }
  | { readonly kind: "begin" }
  | ({ readonly kind: "wait"; readonly afterMs: number } & BackupReason)
  /** The cluster takes it. */
  | { readonly kind: "follow" }
  | { readonly kind: "complete" }
  | ({ readonly kind: "fail" } & BackupReason);

/** What is to be done now. A backup that is complete counts however late it is; one that failed is begun again, later each time, until its deadline. */
export function decideBackup(facts: BackupFacts): BackupStep {
  const { phase, name, seen, obstacle } = facts;
  if (phase === "Completed" || phase === "Failed") return { kind: "rest" };
  const own = seen?.name === name ? seen : undefined;
  if (own?.status === "completed") return { kind: "complete" };
  const failed = own?.failure === undefined ? undefined : reasonOfSeen(own.failure);
  if (failed !== undefined && own?.failure?.retry === "never") return { kind: "fail", ...failed };
  return lateStep(facts, obstacle ?? failed) ?? nextStep(facts, own, failed);
}

function lateStep({ now, madeAt, deadlineMs }: BackupFacts, cause: BackupReason | undefined): BackupStep | undefined {
  return now < madeAt + deadlineMs ? undefined : { kind: "fail", ...tooLate(deadlineMs, cause) };
}

function nextStep(facts: BackupFacts, own: SeenBackup | undefined, failed: BackupReason | undefined): BackupStep {
  const { seen, obstacle, now } = facts;
  if (obstacle !== undefined) return { kind: "wait", afterMs: OBSTACLE_MS, ...obstacle };
  if (own?.status === "running") return { kind: "follow" };
  if (seen?.status === "running") return { kind: "wait", afterMs: FOLLOW_MS, ...another(seen) };
  const waitMs = nextAttemptAt(facts) - now;
  return waitMs > 0 ? { kind: "wait", afterMs: waitMs, ...(failed ?? LOST) } : { kind: "begin" };
}

/** How often a backup that is taken is asked about, in milliseconds. */
export const FOLLOW_MS = 2_000;
/** What keeps it may end without a word to the operator. */
const OBSTACLE_MS = 10_000;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

function nextAttemptAt({ attempts, begunAt }: BackupFacts): number {
  return begunAt === undefined ? -Infinity : begunAt + backoffMs(attempts - 1, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
}

function another({ name }: SeenBackup): BackupReason {
  return { reason: "AnotherRuns", message: `backup ${name} of the database runs, and a cluster takes one at a time` };
}

/** An agent that ends takes its backup with it. */
const LOST: BackupReason = { reason: "Lost", message: "the node that took it leads no more, and it is begun again" };

/** Why it has failed, as a condition says it. */
export function reasonOfSeen({ error_code, description, remedy }: SeenFailure): BackupReason {
  return { reason: wordOf(error_code), message: `${description.replace(/\.$/, "")}; remedy: ${remedy}` };
}

function tooLate(deadlineMs: number, cause: BackupReason | undefined): BackupReason {
  const why = cause === undefined ? "" : `; the last reason: ${cause.message}`;
  return { reason: "DeadlineExceeded", message: `it is not complete after ${deadlineMs / 1_000} s${why}` };
}

/** `OBJECT_STORE_BUCKET` as conditions write it: ObjectStoreBucket. */
function wordOf(code: string): string {
  return code
    .toLowerCase()
    .split("_")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}
