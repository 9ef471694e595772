import type { RestorePhase } from "../api/restore-spec.ts";
import type { Finding } from "../api/parts.ts";
import { block, pause } from "../planner/findings/finding.ts";
import { act, REST, waitFor } from "../planner/findings/step.ts";
import {
  decideBackup,
  fail,
  failWhenLate,
  FOLLOW_MS,
  type BackupAct,
  type BackupFacts,
  type RunDecision,
  type SeenBackup,
} from "./decide.ts";

/** The database of a restore. */
export type RestoredDatabase =
  /** There is none; `wasMade`: the restore has made it before. */
  | { readonly kind: "none"; readonly wasMade: boolean }
  /** One that does not wait for data. */
  | { readonly kind: "other" }
  /** It waits for its data, and its cluster has not made it yet or does not answer. */
  | { readonly kind: "unready"; readonly finding: Finding }
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

/** How the cluster says that a restore stands. */
export interface SeenRestore extends SeenBackup {
  /** When it ended. */
  readonly ended?: string;
}

/** What a decision about a restore rests on; times in milliseconds since 1970. */
export interface RestoreFacts extends Omit<BackupFacts, "phase" | "obstacle" | "seen"> {
  readonly phase: RestorePhase | undefined;
  readonly isDryRun: boolean;
  readonly database: RestoredDatabase;
  /** The last restore of the database; undefined: the cluster knows none. */
  readonly seen: SeenRestore | undefined;
}

/** What is done about a restore. `plan`: the backup is read, and the database made or shown. */
export type RestoreAct = BackupAct | { readonly kind: "plan" };

type RestoreDecision = RunDecision<RestoreAct>;

/** What is to be done now. A database that has data is never touched, and one that a restore has made is never made again. */
export function decideRestore(facts: RestoreFacts): RestoreDecision {
  const { phase, isDryRun, database } = facts;
  if (phase === "Completed" || phase === "Failed" || (phase === "Planned" && isDryRun))
    return { step: REST, afterMs: undefined };
  if (database.kind === "other") return fail(EXISTS);
  if (isDryRun) return failWhenLate(facts, undefined) ?? PLAN;
  switch (database.kind) {
    case "none":
      return database.wasMade ? fail(GONE) : (failWhenLate(facts, undefined) ?? PLAN);
    case "unready":
      return waitInTime(facts, database.finding);
    case "there":
      return database.awaits ? whileAwaited(facts) : whenThere(facts, database);
  }
}

const PLAN: RestoreDecision = { step: act({ kind: "plan" }, "its database is not there"), afterMs: FOLLOW_MS };

function waitInTime(facts: RestoreFacts, finding: Finding): RestoreDecision {
  return failWhenLate(facts, finding) ?? { step: waitFor(finding), afterMs: UNREADY_MS };
}

function whileAwaited(facts: RestoreFacts): RestoreDecision {
  // what another restore of the same backup has come to is not this one's failure
  const isOthers = facts.attempts === 0 && facts.seen?.status === "failed";
  const seen = isOthers ? undefined : facts.seen;
  const decided = decideBackup({ ...facts, seen, phase: "Running", obstacle: undefined });
  const { step } = decided;
  if (step.kind !== "act" || step.act.kind !== "complete") return decided;
  if (facts.now - Date.parse(seen?.ended ?? "") > RECORD_FOLLOWS_MS)
    return (
      failWhenLate(facts, undefined) ?? {
        step: act({ kind: "begin" }, "another shard has lost its data since"),
        afterMs: FOLLOW_MS,
      }
    );
  return { step: act({ kind: "follow" }, "the record of its database follows"), afterMs: FOLLOW_MS };
}

type ThereDatabase = Extract<RestoredDatabase, { readonly kind: "there" }>;

function whenThere(facts: RestoreFacts, database: ThereDatabase): RestoreDecision {
  const { isServing, trouble } = database;
  if (facts.attempts === 0) return beforeBegun(facts, database);
  if (facts.seen?.name === facts.name && facts.seen.status === "failed") return fail(HAS_DATA);
  if (isServing) return { step: act({ kind: "complete" }, "the database serves"), afterMs: undefined };
  const loads = "its engines load what the nodes have";
  return waitInTime(facts, trouble === "" ? pause(LOADING, loads) : pause("NotLoaded", `${loads}: ${trouble}`));
}

/** Whether what a restore waits for is that engines load the data that the nodes have. */
export function isLoading({ id }: Finding): boolean {
  return id === LOADING || id === "NotLoaded";
}

/** Nothing was begun, and it takes no data now. It may still find its own. */
function beforeBegun(facts: RestoreFacts, { isServing, mayAwait, trouble }: ThereDatabase): RestoreDecision {
  if (!mayAwait) return fail(HAS_DATA);
  if (isServing) return fail(NOT_LOST);
  const why = trouble === "" ? "it does not serve" : trouble;
  return waitInTime(facts, block("DataMayBeThere", `${NOT_KNOWN_LOST}: ${why}`, BRING_BACK));
}

const NOT_KNOWN_LOST = "it is not known yet that the data of the database are gone";
const BRING_BACK = "bring back the nodes that it waits for: storectl why";
const UNREADY_MS = 2_000;
/** So soon all nodes know that a database has the data of a restore that has ended. */
const RECORD_FOLLOWS_MS = 10_000;
const LOADING = "Loading";
const EXISTS = block(
  "DatabaseExists",
  "there is a database of that name, and none is overwritten",
  "name another one by another restore",
);
const GONE = block("DatabaseGone", "the database that it has made was deleted", "make another restore");
const NOT_LOST = block(
  "DataNotLost",
  "the database serves with data of its own",
  "restore into another one, without spec.replaceLostData",
);
const HAS_DATA = block(
  "DatabaseHasData",
  "the database does not wait for data any more",
  "name another one by another restore",
);
