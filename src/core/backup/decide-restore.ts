import type { RestorePhase } from "../api/restore-spec.ts";
import { decideBackup, type BackupFacts, type BackupReason, type BackupStep } from "./decide.ts";

/** The database of a restore. */
export type RestoredDatabase =
  /** There is none; `wasMade`: the restore has made it before. */
  | { readonly kind: "none"; readonly wasMade: boolean }
  /** One that does not wait for data. */
  | { readonly kind: "other" }
  /** It waits for its data, and its cluster has not made it yet or does not answer. */
  | ({ readonly kind: "unready" } & BackupReason)
  /** Its cluster has it; `trouble`: what is wrong with it. */
  | {
      readonly kind: "there";
      /** It takes data of a backup: it waits for them, or has lost its own and is to take them instead. */
      readonly awaits: boolean;
      /** It is to take them instead of its own, once it is known that these are gone. */
      readonly mayAwait: boolean;
      readonly isServing: boolean;
      readonly trouble: string;
    };

/** What a decision about a restore rests on; times in milliseconds since 1970. */
export interface RestoreFacts extends Omit<BackupFacts, "phase" | "obstacle"> {
  readonly phase: RestorePhase | undefined;
  readonly isDryRun: boolean;
  readonly database: RestoredDatabase;
}

/** What is to be done about a restore. `plan`: the backup is read, and the database made or shown. */
export type RestoreStep = BackupStep | { readonly kind: "plan" };

/** What is to be done now. A database that has data is never touched, and one that a restore has made is never made again. */
export function decideRestore(facts: RestoreFacts): RestoreStep {
  const { phase, isDryRun, database } = facts;
  if (phase === "Completed" || phase === "Failed" || (phase === "Planned" && isDryRun)) return { kind: "rest" };
  if (database.kind === "other") return { kind: "fail", ...EXISTS };
  if (isDryRun) return lateStep(facts) ?? { kind: "plan" };
  switch (database.kind) {
    case "none":
      return database.wasMade ? { kind: "fail", ...GONE } : (lateStep(facts) ?? { kind: "plan" });
    case "unready": {
      const { reason, message } = database;
      return lateStep(facts, message) ?? { kind: "wait", afterMs: UNREADY_MS, reason, message };
    }
    case "there":
      return database.awaits ? whileAwaited(facts) : whenThere(facts, database);
  }
}

function whileAwaited(facts: RestoreFacts): RestoreStep {
  // what another restore of the same backup has come to is not this one's failure
  const isOthers = facts.attempts === 0 && facts.seen?.status === "failed";
  const seen = isOthers ? undefined : facts.seen;
  const step = decideBackup({ ...facts, seen, phase: "Running", obstacle: undefined });
  // the record of its database follows
  return step.kind === "complete" ? { kind: "follow" } : step;
}

type ThereDatabase = Extract<RestoredDatabase, { readonly kind: "there" }>;

function whenThere(facts: RestoreFacts, database: ThereDatabase): RestoreStep {
  const { isServing, trouble } = database;
  if (facts.attempts === 0) return beforeBegun(facts, database);
  if (facts.seen?.name === facts.name && facts.seen.status === "failed") return { kind: "fail", ...HAS_DATA };
  if (isServing) return { kind: "complete" };
  const message =
    trouble === "" ? "its engines load what the nodes have" : `its engines load what the nodes have: ${trouble}`;
  return (
    lateStep(facts, message) ?? {
      kind: "wait",
      afterMs: UNREADY_MS,
      reason: trouble === "" ? "Loading" : "NotLoaded",
      message,
    }
  );
}

/** Nothing was begun, and it takes no data now. It may still find its own. */
function beforeBegun(facts: RestoreFacts, { isServing, mayAwait, trouble }: ThereDatabase): RestoreStep {
  if (!mayAwait) return { kind: "fail", ...HAS_DATA };
  if (isServing) return { kind: "fail", ...NOT_LOST };
  const late = lateStep(facts, trouble);
  if (late !== undefined) return late;
  const why = trouble === "" ? "it does not serve" : trouble;
  const message = `it is not known yet that the data of the database are gone: ${why}`;
  return { kind: "wait", afterMs: UNREADY_MS, reason: "DataMayBeThere", message };
}

function lateStep({ now, madeAt, deadlineMs }: RestoreFacts, last = ""): RestoreStep | undefined {
  if (now < madeAt + deadlineMs) return undefined;
  const why = last === "" ? "" : `; the last reason: ${last}`;
  return {
    kind: "fail",
    reason: "DeadlineExceeded",
    message: `it is not complete after ${deadlineMs / 1_000} s${why}`,
  };
}

const UNREADY_MS = 2_000;
const EXISTS: BackupReason = {
  reason: "DatabaseExists",
  message: "there is a database of that name, and none is overwritten; remedy: name another one by another restore",
};
const GONE: BackupReason = {
  reason: "DatabaseGone",
  message: "the database that it has made was deleted; remedy: make another restore",
};
const NOT_LOST: BackupReason = {
  reason: "DataNotLost",
  message: "the database serves with data of its own; remedy: restore into another one, without spec.replaceLostData",
};
const HAS_DATA: BackupReason = {
  reason: "DatabaseHasData",
  message: "the database does not wait for data any more; remedy: name another one by another restore",
};
