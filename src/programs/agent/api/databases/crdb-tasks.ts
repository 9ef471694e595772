import type { ActiveActiveRecord } from "../../../../core/api/records.ts";
import { activeActiveTasks } from "../../../../core/planner/active-active/tasks.ts";
import { usableRecords } from "../../../../core/planner/active-active/record.ts";
import type { CrdbTask } from "../../../../ports/management/records.ts";
import { linkHealth, type LinkHealthContext } from "./link-health.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** How far this participant is with every Active-Active database that it knows, deleted ones too. */
export async function crdbTasks(context: LinkHealthContext): Promise<readonly CrdbTask[]> {
  const known = usableRecords(context.records.state()?.activeActives ?? []);
  return (await Promise.all(known.map((record) => tasksOf(context, record)))).flat();
}

/** One task; refused when there is none of this id, as of an edit that has given way to a later one. */
export async function crdbTask(context: LinkHealthContext, id: string): Promise<CrdbTask> {
  const known = usableRecords(context.records.state()?.activeActives ?? []);
  const record = known.find(({ guid }) => id.startsWith(`${guid}.`));
  const task = record && (await tasksOf(context, record)).find((one) => one.id === id);
  if (task !== undefined) return task;
  throw refuse(refusals.noSuchObject, `there is no task ${id}: GET /v1/crdb_tasks lists those that there are`);
}

async function tasksOf(context: LinkHealthContext, record: ActiveActiveRecord): Promise<readonly CrdbTask[]> {
  const { guid } = record;
  const database = context.records.databases().find(({ activeActive }) => activeActive?.guid === guid);
  const health = database?.awaitsSites === true ? await linkHealth(context, guid) : undefined;
  const link = health && {
    cause: health.cause,
    awaitsSites: health.awaits_sites,
    sites: health.sites.map(({ since, ...site }) => ({ ...site, since })),
  };
  const tasks = activeActiveTasks({ state: context.records.state() ?? {}, record, database, link });
  return tasks.map(({ id, operation, status, waitingFor }) => {
    return { id, crdb_guid: guid, operation, status, waiting_for: waitingFor };
  });
}
