import type { ActiveActiveStatus } from "../../../core/api/active-active.ts";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import { isPause, sentenceOf } from "../../../core/planner/findings/finding.ts";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { siteNumber } from "../../../core/planner/active-active/numbers.ts";
import type { ActiveActiveDecision } from "../../../core/planner/active-active/decide.ts";
import type { Replication } from "../../../core/planner/active-active/replication.ts";
import { withStatements } from "../objects/conditions.ts";
import type { SiteState } from "../../../mechanisms/observe/sites/sites.ts";
import type { Redb } from "../database/cluster.ts";
import type { Reaadb } from "./view.ts";

/** What a pass over an Active-Active database knows in the end. */
export interface ActiveActiveReport {
  readonly reaadb: Reaadb;
  readonly database: Redb | undefined;
  /** What each participant said, by name. */
  readonly polled: ReadonlyMap<string, SiteState>;
  readonly decision: ActiveActiveDecision | undefined;
  /** Why nothing could be decided, or what was decided was not done; a pause where the conditions alone name it. */
  readonly hindrance: Finding | undefined;
  /** Undefined while the own cluster cannot be asked: then it stays as it was. */
  readonly replication: Replication | undefined;
}

/** The status that a pass leaves behind. */
export function activeActiveStatusOf(report: ActiveActiveReport, now: Date): ActiveActiveStatus {
  const { reaadb, database, decision } = report;
  const before = reaadb.status ?? {};
  const generation = reaadb.metadata.generation ?? 0;
  const version = database?.status?.version ?? before.version;
  return {
    ...before,
    status: lifeOf(report),
    ...(decision === undefined ? {} : { specStatus: decision.findings.length === 0 ? "Valid" : "Invalid" }),
    ...(decision?.record === undefined ? {} : { guid: decision.record.guid }),
    ...(version === undefined ? {} : { version }),
    linkedRedbs: database === undefined ? [] : [database.metadata.name],
    replicationStatus: report.replication?.status ?? before.replicationStatus ?? "down",
    participatingClusters: participantsOf(report),
    ...(isHandled(decision) ? { observedGeneration: generation } : {}),
    conditions: withStatements(
      before.conditions,
      statements(report).map((statement) => ({ ...statement, observedGeneration: generation })),
      now,
    ),
  };
}

function isHandled(decision: ActiveActiveDecision | undefined): boolean {
  return decision !== undefined && decision.step.kind !== "act" && decision.findings.length === 0;
}

const LIVES: Readonly<Record<NonNullable<DatabaseStatus["status"]>, ActiveActiveStatus["status"]>> = {
  pending: "pending",
  active: "active",
  "active-change-pending": "active-change-pending",
  "delete-pending": "delete-pending",
  "import-pending": "active-change-pending",
  "creation-failed": "creation-failed",
  recovery: "error",
  unknown: "error",
};

function lifeOf({ reaadb, database, decision }: ActiveActiveReport): ActiveActiveStatus["status"] {
  if (reaadb.metadata.deletionTimestamp !== undefined) return "delete-pending";
  const life = database?.status?.status;
  if (life !== undefined) return LIVES[life];
  return decision !== undefined && decision.findings.length > 0 ? "error" : "pending";
}

function participantsOf({
  reaadb,
  polled,
  decision,
  replication,
}: ActiveActiveReport): NonNullable<ActiveActiveStatus["participatingClusters"]> {
  return reaadb.spec.participatingClusters.map(({ name }, index) => ({
    name,
    id: (decision?.record && siteNumber(decision.record, name)) ?? index + 1,
    replicationStatus: replication?.sites.get(name) ?? "down",
    ...reportedBy(polled.get(name), reaadb.metadata.name),
  }));
}

function reportedBy(polled: SiteState | undefined, name: string) {
  if (polled === undefined) return { status: "RemoteClusterMissing" };
  const { answer } = polled;
  if ("evidence" in answer) return { status: answer.id };
  const bdb = answer.bdbs.find((one) => one.name === name);
  const { operator_version: operator } = answer.cluster;
  return {
    status: bdb?.status ?? "absent",
    ...(bdb === undefined ? {} : { version: bdb.redis_version }),
    ...(operator === undefined ? {} : { operatorVersion: operator }),
  };
}

function statements(report: ActiveActiveReport): readonly Statement[] {
  const { decision, replication } = report;
  return [
    ...readyStatements(report),
    ...(decision === undefined ? [] : [participantsReady(decision.held)]),
    ...(replication === undefined ? [] : [replication.statement]),
  ];
}

function readyStatements(report: ActiveActiveReport): readonly Statement[] {
  const { decision, hindrance, database } = report;
  const said = ready(report);
  const ofDatabase = conditionOf(database?.status?.conditions, "Reconciling");
  const isActing = decision !== undefined && decision.findings.length === 0 && decision.step.kind === "act";
  const isMoving = hindrance === undefined && (isActing || ofDatabase?.status === "True");
  const known = [
    ...(hindrance === undefined || isPause(hindrance) ? [] : [hindrance]),
    ...(decision?.findings ?? []),
    ...(decision?.held ?? []),
  ];
  // what stalls its database stalls it
  const findings =
    said.reason === conditionOf(database?.status?.conditions, "Stalled")?.reason
      ? [...known, ...(database?.status?.findings ?? [])]
      : known;
  return readiness(said, { isMoving, findings });
}

function ready({ reaadb, database, decision, hindrance }: ActiveActiveReport): Statement {
  const say = (status: "True" | "False", reason: string, message: string): Statement => ({
    type: "Ready",
    status,
    reason,
    message,
  });
  // the sentence about a field says what is right
  const isField = hindrance?.id === "SpecInvalid";
  if (hindrance !== undefined) return say("False", hindrance.id, isField ? hindrance.evidence : sentenceOf(hindrance));
  const [finding] = decision?.findings ?? [];
  if (finding !== undefined) return say("False", finding.id, sentenceOf(finding));
  if (decision?.step.kind === "act") return say("False", "Changing", decision.step.why);
  const wanted = decision?.record?.version;
  const [held] = [...(decision?.held ?? []), ...(decision?.awaited ?? [])];
  if (held !== undefined && wanted !== undefined && database?.spec.storeVersion !== wanted) {
    return say("False", held.id, `the upgrade to ${wanted} waits: ${sentenceOf(held)}`);
  }
  return linkedStatement(reaadb, database, say);
}

function linkedStatement(
  { metadata }: Reaadb,
  database: Redb | undefined,
  say: (status: "True" | "False", reason: string, message: string) => Statement,
): Statement {
  const condition = conditionOf(database?.status?.conditions, "Ready");
  if (database === undefined || condition === undefined) {
    return say("False", "NotCreated", `the database ${metadata.name} of this participant is not there yet`);
  }
  const isSeen = condition.observedGeneration === database.metadata.generation;
  if (condition.status === "True" && !isSeen)
    return say("False", "Changing", "the database has not been looked at yet");
  return say(condition.status === "True" ? "True" : "False", condition.reason, condition.message);
}

function participantsReady(held: readonly Finding[]): Statement {
  const [first] = held;
  const type = "ParticipantsReady";
  return first === undefined
    ? {
        type,
        status: "True",
        reason: "AllReady",
        message: "every participant answers, and has an operator that is new enough",
      }
    : { type, status: "False", reason: first.id, message: held.map(sentenceOf).join(" | ") };
}

/** The condition of this type. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
