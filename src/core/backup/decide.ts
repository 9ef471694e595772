import { backoffMs } from "#kit/base/backoff";
import type { BackupPhase } from "../api/backup-spec.ts";
import type { Finding } from "../api/parts.ts";
import { block, pause, wait } from "../planner/findings/finding.ts";
import { act, REST, waitFor, type Step } from "../planner/findings/step.ts";

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
  readonly obstacle: Finding | undefined;
}

/** What is done about an object that asks for a backup. */
export type BackupAct =
  | { readonly kind: "begin" }
  /** The cluster takes it, and says how far it is. */
  | { readonly kind: "follow" }
  | { readonly kind: "complete" }
  | { readonly kind: "fail"; readonly finding: Finding };

/** What is to be done about what one object asks for, and when to look at it again. */
export interface RunDecision<Act> {
  readonly step: Step<Act>;
  /** In milliseconds; undefined: it has come to its end. */
  readonly afterMs: number | undefined;
}

/** What is to be done now. A backup that is complete counts however late it is; one that failed is begun again, later each time, until its deadline. */
export function decideBackup(facts: BackupFacts): RunDecision<BackupAct> {
  const { phase, name, seen, obstacle } = facts;
  if (phase === "Completed" || phase === "Failed") return { step: REST, afterMs: undefined };
  const own = seen?.name === name ? seen : undefined;
  if (own?.status === "completed") return { step: act({ kind: "complete" }, "the cluster has it"), afterMs: undefined };
  const failed = own?.failure === undefined ? undefined : findingOfSeen(own.failure);
  if (failed !== undefined && own?.failure?.retry === "never") return fail(failed);
  return failWhenLate(facts, obstacle ?? failed) ?? nextStep(facts, own, failed);
}

/** It has failed, and for good. */
export function fail(finding: Finding): RunDecision<Extract<BackupAct, { readonly kind: "fail" }>> {
  return { step: act({ kind: "fail", finding }, finding.evidence), afterMs: undefined };
}

/** It has failed where it is not complete at its deadline, with what kept it last; undefined while there is time. */
export function failWhenLate(
  { now, madeAt, deadlineMs }: Pick<BackupFacts, "now" | "madeAt" | "deadlineMs">,
  last: Finding | undefined,
): ReturnType<typeof fail> | undefined {
  return now < madeAt + deadlineMs ? undefined : fail(tooLate(deadlineMs, last));
}

/** Why what is not complete at its deadline has failed. */
export function tooLate(deadlineMs: number, last: Finding | undefined): Finding {
  const why = last === undefined ? "" : `; the last reason: ${last.evidence}`;
  const remedy = last === undefined || last.remedy === "" ? MORE_TIME : `${last.remedy}; then ${MORE_TIME}`;
  return block("DeadlineExceeded", `it is not complete after ${deadlineMs / 1_000} s${why}`, remedy);
}

function nextStep(
  facts: BackupFacts,
  own: SeenBackup | undefined,
  failed: Finding | undefined,
): RunDecision<BackupAct> {
  const { seen, obstacle, now } = facts;
  if (obstacle !== undefined) return { step: waitFor(obstacle), afterMs: OBSTACLE_MS };
  if (own?.status === "running") return { step: act({ kind: "follow" }, "the cluster takes it"), afterMs: FOLLOW_MS };
  if (seen?.status === "running") return { step: waitFor(another(seen)), afterMs: FOLLOW_MS };
  const waitMs = nextAttemptAt(facts) - now;
  if (waitMs > 0) return { step: waitFor(failed ?? LOST), afterMs: waitMs };
  return { step: act({ kind: "begin" }, "nothing keeps it"), afterMs: FOLLOW_MS };
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

function another({ name }: SeenBackup): Finding {
  return pause("AnotherRuns", `backup ${name} of the database runs, and a cluster takes one at a time`);
}

/** An agent that ends takes its backup with it. */
const LOST = pause("Lost", "the node that took it leads no more, and it is begun again");

/** Why it has failed: what ends unasked is waited for, everything else stops until a person acts. */
export function findingOfSeen({ error_code: code, description, remedy }: SeenFailure): Finding {
  const make = PASSING.includes(code) ? wait : block;
  return make(wordOf(code), description.replace(/\.$/, ""), remedy);
}

const PASSING: readonly string[] = [
  "AGENT_BACKUP_GONE",
  "AGENT_BACKUP_QUESTIONS",
  "BACKUP_NOT_WHOLE",
  "BACKUP_SOURCE_CHANGED",
  "BACKUP_SOURCE_GONE",
  "OBJECT_STORE_BUSY",
];

const MORE_TIME = "make another one, with more time in spec.activeDeadlineSeconds where it needs that";

/** `OBJECT_STORE_BUCKET` as conditions write it: ObjectStoreBucket. */
function wordOf(code: string): string {
  return code
    .toLowerCase()
    .split("_")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}
