import type { FinishedAction, InstalledModule } from "../../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { installationOf, type ModuleHolder } from "../../../../core/planner/modules/installation.ts";
import type { ActionRecord } from "../../../../ports/management/records.ts";
import type { Members } from "../../members/members.ts";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What the actions of a cluster are read from. */
export interface ActionsContext {
  readonly records: Pick<Records, "state" | "databases">;
  readonly members: Pick<Members, "list">;
  readonly clock: Clock;
}

/** Every action that runs, and the last ones that have ended; each once. */
export function listActions({ records, members, clock }: ActionsContext): readonly ActionRecord[] {
  const state = records.state();
  const finished = (state?.finished ?? []).map(actionRecord);
  const nodes = (state?.maintenance ?? []).map(({ node, action }) =>
    actionRecord({ ...action, object: `node:${node}` }),
  );
  const databases = records
    .databases()
    .flatMap(({ uid, lastAction }) =>
      lastAction === undefined ? [] : [actionRecord({ ...lastAction, object: `bdb:${uid}` })],
    );
  const holders = members
    .list()
    .filter(({ held }) => held)
    .map(({ fresh, report }) => ({ fresh, modules: report.modules }));
  const modules = (state?.modules ?? []).map((module) => installAction(module, holders, clock.now()));
  const known = new Map([...finished, ...databases, ...nodes, ...modules].map((action) => [action.action_uid, action]));
  return [...known.values()];
}

/** The action with this uid; AGENT_NO_SUCH_ACTION when there is none. */
export function getAction(context: ActionsContext, uid: string): ActionRecord {
  const found = listActions(context).find(({ action_uid }) => action_uid === uid);
  if (found === undefined) throw refuse(refusals.noSuchAction, `there is no action ${uid}`);
  return found;
}

/** The last action of this name on a node; AGENT_NO_SUCH_ACTION when there is none. */
export function getNodeAction(context: ActionsContext, node: string, action: string): ActionRecord {
  const found = listActions(context).findLast(
    ({ name, object_name }) => name === action && object_name === `node:${node}`,
  );
  if (found === undefined) throw refuse(refusals.noSuchAction, `node ${node} has no action ${action}`);
  return found;
}

/** The actions of a database. */
export function databaseActions(context: ActionsContext, bdb: number): readonly ActionRecord[] {
  return listActions(context).filter(({ object_name }) => object_name === `bdb:${bdb}`);
}

/** The last action of this name on a database; AGENT_NO_SUCH_ACTION when there is none. */
export function getDatabaseAction(context: ActionsContext, bdb: number, action: string): ActionRecord {
  const found = databaseActions(context, bdb).findLast(({ name }) => name === action);
  if (found === undefined) throw refuse(refusals.noSuchAction, `database ${bdb} has no action ${action}`);
  return found;
}

/** An action as the API shows it. */
export function actionRecord({ uid, name, object, status, progress, error }: FinishedAction): ActionRecord {
  return {
    action_uid: uid,
    name,
    object_name: object,
    status,
    progress,
    ...(error === undefined ? {} : { error }),
  };
}

function installAction(module: InstalledModule, holders: readonly ModuleHolder[], now: Date): ActionRecord {
  const object = `module:${module.uid}`;
  return actionRecord({
    uid: module.actionUid,
    name: "install_module",
    object,
    ...installationOf(module, holders, now),
  });
}
