import type { Finding } from "../../../core/api/parts.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import { conditionWords, type Statement } from "../../../core/planner/findings/statement.ts";
import type { Suspension } from "../../../core/planner/cluster/suspension.ts";
import type { DatabaseDecision } from "../../../core/planner/database/plan.ts";
import type { ActionRecord, BdbRecord } from "../../../ports/management/records.ts";
import { available } from "./availability.ts";
import type { LostAnswer } from "./lost-answer.ts";
import type { DatabaseReport } from "./database-report.ts";

/** Whether it serves, whether edits are applied, and whether it is what its object says. */
export function serviceConditions(report: DatabaseReport, lost: LostAnswer | undefined): readonly Statement[] {
  const { bdb, suspension, decision, generation: observedGeneration } = report;
  const statements = [...available(bdb, lost), suspendedStatement(suspension), ...driftedStatements(decision, lost)];
  return statements.map((statement) => ({ ...statement, observedGeneration }));
}

/** Whether the database is as its spec asks, and the conditions that deploy tools read; `findings`: those of its status. */
export function readyConditions(report: DatabaseReport, findings: readonly Finding[]): readonly Statement[] {
  const { generation, suspension, before, bdb, decision } = report;
  // an edit that waits has not been looked at, and `kubectl wait --for=condition=Ready` shall wait for it
  const looked = suspension === undefined ? generation : (before.observedGeneration ?? 0);
  const isActing = decision !== undefined && decision.findings.length === 0 && decision.step.kind === "act";
  const isMoving = (report.failure === undefined && isActing) || (bdb !== undefined && isChanging(bdb));
  return readiness({ ...ready(report), observedGeneration: looked }, { isMoving, findings });
}

/** The cluster is at it, or waits for what ends without a person. */
function isChanging({ status, waiting_for, recovery, obstacle }: BdbRecord): boolean {
  if (status === "creation-failed" || recovery?.needs_consent === true || obstacle?.severity === "consent")
    return false;
  return status !== "active" || waiting_for !== "";
}

function ready(report: DatabaseReport): Statement {
  const { bdb, decision, failure, unready } = report;
  const finding = unready ?? decision?.findings[0] ?? failure ?? refusedDrift(decision);
  if (finding !== undefined) return readyIs("False", finding.id, sentenceOf(finding));
  if (bdb === undefined) return readyIs("False", "NotCreated", "the cluster does not have the database yet");
  return readyAsServed(bdb, report);
}

function readyAsServed(bdb: BdbRecord, { decision, actions }: DatabaseReport): Statement {
  const serves = bdb.status === "active" && bdb.version !== "";
  const status = serves ? "True" : "False";
  if (bdb.waiting_for !== "") return readyIs(status, serves ? "Recovering" : "Waiting", bdb.waiting_for);
  if (decision?.step.kind === "act") return readyIs("False", "Changing", decision.step.why);
  return bdb.status === "active"
    ? readyIs(status, "Active", serves ? `serves version ${bdb.version_display}` : "the engine is starting")
    : readyIs("False", "Changing", changeOf(bdb, actions));
}

function readyIs(status: "True" | "False", reason: string, message: string): Statement {
  return { type: "Ready", status, reason, message };
}

/** A higher version that was made by hand is no refusal: `Drifted` says it. */
function refusedDrift(decision: DatabaseDecision | undefined): Finding | undefined {
  return decision?.drift?.id === "DowngradeRefused" ? decision.drift : undefined;
}

const CHANGES: Readonly<Record<string, string>> = {
  create_bdb: "the database is being made",
  update_bdb: "the new settings are being taken",
  upgrade_bdb: "the database is being upgraded",
  delete_bdb: "the database is being deleted",
};

/** What the cluster is at, and how far. */
export function changeOf(bdb: BdbRecord, actions: readonly ActionRecord[]): string {
  const action = actions.find(({ action_uid }) => action_uid === bdb.action_uid);
  const { shards_count: has, shards_count_asked: asked = has, shard_slots_asked: slots } = bdb;
  if (asked !== has) return `the database gets ${asked} shards instead of ${has}`;
  if (slots !== undefined) return "slots of the database go to other shards";
  const doing = CHANGES[action?.name ?? ""] ?? `the database is ${bdb.status}`;
  const { progress = 0 } = action ?? {};
  return progress > 0 && progress < 100 ? `${doing}, ${progress} % done` : doing;
}

function suspendedStatement(suspension: Suspension | undefined): Statement {
  return suspension === undefined
    ? { type: "ReconcileSuspended", status: "False", reason: "Managed", message: "edits are applied" }
    : {
        type: "ReconcileSuspended",
        status: "True",
        reason: suspension.id,
        message: `edits wait in order until the cluster is upgraded: ${suspension.evidence}`,
      };
}

function driftedStatements(decision: DatabaseDecision | undefined, lost: LostAnswer | undefined): readonly Statement[] {
  if (decision !== undefined) return [driftedBy(decision)];
  return lost === undefined ? [] : [{ type: "Drifted", ...lost, status: "Unknown" }];
}

function driftedBy({ drift }: DatabaseDecision): Statement {
  return drift === undefined
    ? { type: "Drifted", status: "False", reason: "AsWritten", message: "the database is what its object says" }
    : { type: "Drifted", status: "True", ...conditionWords(drift) };
}
