import { isTrue } from "#kit/kube/conditions";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { DatabaseDecision } from "../../../core/planner/database/plan.ts";
import { lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { attempt, type ActOutcome } from "./acts.ts";
import type { Redb } from "./cluster.ts";
import type { DatabaseEvaluation } from "./evaluation.ts";
import { keepMark } from "./identity.ts";
import { refOf } from "#kit/kube/ref";
import { hasService, publishAddress } from "./published-address.ts";
import type { DatabaseDeps, DatabasePassDeps } from "./deps.ts";
import { AGAIN_MS, pauseMs, refusedForMs, untilLostMs } from "./pauses.ts";
import { reportDatabase } from "./report.ts";

/** Carries out what was decided about a database, and reports; the answer says when to look again. */
export async function followDecision(
  deps: DatabasePassDeps,
  redb: Redb,
  cluster: string,
  evaluated: DatabaseEvaluation,
): Promise<Outcome> {
  const { decision } = evaluated;
  if (decision === undefined) return reportUndecided(deps, redb, cluster, evaluated);
  return carryOut(deps, redb, cluster, { ...evaluated, decision });
}

async function reportUndecided(
  deps: DatabasePassDeps,
  redb: Redb,
  cluster: string,
  evaluated: DatabaseEvaluation,
): Promise<Outcome> {
  const status = await reportDatabase(deps, redb, cluster, evaluated);
  if (evaluated.suspension !== undefined)
    return lookAgain(isTrue(status.conditions, "Available") ? untilLostMs(status) : AGAIN_MS.first);
  const isAnswered = evaluated.unready !== undefined && !("unreachable" in evaluated.polled);
  return lookAgain(isAnswered ? AGAIN_MS.last : untilLostMs(status));
}

interface Decided extends DatabaseEvaluation {
  readonly decision: DatabaseDecision;
}

async function carryOut(deps: DatabasePassDeps, seen: Redb, cluster: string, evaluated: Decided): Promise<Outcome> {
  const { decision, authority } = evaluated;
  const { redb, attempted } = await perform(deps, seen, cluster, evaluated);
  const bdb = attempted.bdb ?? evaluated.bdb;
  const given = attempted.passwordFrom ?? redb.status?.passwordFrom;
  const { passwordFrom, warning } =
    bdb === undefined
      ? { passwordFrom: given }
      : await publishAddress(deps.keepAddress, redb, { port: bdb.port, authority }, given);
  const { failure } = attempted;
  const warnings = warning === undefined ? decision.warnings : [...decision.warnings, warning];
  const reported = { ...evaluated, decision: { ...decision, warnings }, bdb, failure, passwordFrom };
  const status = await reportDatabase(deps, redb, cluster, reported);
  if (failure !== undefined) return lookAgain(refusedForMs(status, deps.clock));
  const isFound = hasService(deps.cache.services, refOf(redb), cluster);
  return lookAgain(pauseMs(decision, status, isFound));
}

/** Performs the act of the decision, if it has one. A database that it made gets its mark. */
async function perform(
  deps: DatabasePassDeps,
  seen: Redb,
  cluster: string,
  { decision, connection, bdb }: Decided,
): Promise<{ readonly redb: Redb; readonly attempted: ActOutcome }> {
  if (decision.step.kind !== "act") return { redb: seen, attempted: {} };
  const { act } = decision.step;
  deps.log.info("performing a step", { database: seen.metadata.name, act });
  let redb = seen;
  const creation = {
    mayBeMade: seen.status?.creating === true,
    noteCreation: async () => void (redb = await noteCreation(deps, seen, cluster)),
  };
  const attempted = await attempt({ ...deps, cluster, ...creation }, seen, connection, act);
  if (attempted.bdb !== undefined && bdb === undefined) await keepMark(deps, cluster, redb, attempted.bdb, true);
  return { redb, attempted };
}

/** Before the cluster is asked: an operator that starts again knows by it that the database is of this object, and in which cluster. */
async function noteCreation({ kube, cache }: DatabaseDeps, redb: Redb, cluster: string): Promise<Redb> {
  if (redb.status?.creating === true && redb.status.cluster === cluster) return redb;
  const status = { ...redb.status, status: redb.status?.status ?? ("pending" as const), cluster, creating: true };
  const stored = await kube.update(Databases, { ...redb, status }, { subresource: "status" });
  cache.databases.learn(stored);
  return stored;
}
