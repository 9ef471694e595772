import { databaseSpec } from "../../api/database-spec.ts";
import type { ActiveActiveRecord, ClusterStateRecord, DatabaseRecord } from "../../api/records.ts";
import { differingSettings, settingsOfSpec, wireOf } from "../../api/settings/values.ts";
import { describeObject } from "../../api/kubectl.ts";
import { compareVersionText } from "#kit/base/version";
import { cameLater } from "./numbers.ts";
import { unknownSites } from "./other-sites.ts";
import { replicationOf, type ReplicationFacts } from "./replication.ts";

/** How far one participant is with something that the sites have agreed on. */
export interface ActiveActiveTask {
  /** The id is the same at every participant, and derived from everything that the task rests on: nothing is stored. */
  readonly id: string;
  readonly operation: "create_crdb" | "update_crdb" | "upgrade_crdb" | "join_crdb" | "delete_crdb";
  /** Nothing fails: what is agreed is tried until it is done. */
  readonly status: "queued" | "started" | "finished";
  /** A sentence; empty when it is finished. */
  readonly waitingFor: string;
}

/** What a participant knows of itself and one Active-Active database. */
export interface TaskFacts {
  readonly state: Pick<ClusterStateRecord, "activeActives" | "remoteSites">;
  readonly record: ActiveActiveRecord;
  /** The database of this participant that is a site of it. */
  readonly database: DatabaseRecord | undefined;
  /** What the cluster says of its link; only asked for a site that awaits others. */
  readonly link: ReplicationFacts["link"];
}

/**
 * The last edit, the version that is asked for, how this site joins, or the deletion: each with how far this participant is.
 * Former edits have given way to the last one. A cluster that takes part no more has none.
 */
export function activeActiveTasks(facts: TaskFacts): readonly ActiveActiveTask[] {
  const { record, database, state } = facts;
  if (record.deleted === true) {
    const left = database === undefined ? "" : "the database of this participant is still there";
    return [{ id: `${record.guid}.delete`, operation: "delete_crdb", ...progress(left) }];
  }
  const own = (state.remoteSites ?? []).filter(({ local }) => local === true).map(({ name }) => name);
  if (own.length > 0 && !record.participants.some(({ name }) => own.includes(name))) return [];
  return [editTask(facts), versionTask(facts), ...joinTasks(facts, own[0])];
}

function editTask({ record, database, state }: TaskFacts): ActiveActiveTask {
  const { count, author } = record.edit;
  const operation = count === 1 ? "create_crdb" : "update_crdb";
  const id = `${record.guid}.edit.${count}.${author}`;
  if (database === undefined) return { id, operation, status: "queued", waitingFor: NO_DATABASE };
  const unknown = unknownSites(state, database).join(", ");
  const where = unknown === "" ? "" : `the operator has not said where these sites are: ${unknown}`;
  return { id, operation, ...progress(unappliedText(record, database) || where) };
}

function unappliedText({ configuration }: ActiveActiveRecord, database: DatabaseRecord): string {
  const spec = databaseSpec.safeParse(configuration);
  if (!spec.success) return "this release cannot read the configuration";
  const names = Object.keys(wireOf(differingSettings(settingsOfSpec(spec.data), database)));
  return names.length === 0 ? "" : `the database of this participant has not these settings yet: ${names.join(", ")}`;
}

function versionTask({ record: { guid, name, version }, database }: TaskFacts): ActiveActiveTask {
  const task = { id: `${guid}.version.${version}`, operation: "upgrade_crdb" } as const;
  if (database === undefined) return { ...task, status: "queued", waitingFor: NO_DATABASE };
  const { storeVersion, upgrade, waitingFor = "" } = database;
  if ((compareVersionText(storeVersion, version) ?? 0) >= 0) return { ...task, ...progress("") };
  const has = `the database of this participant has ${storeVersion}`;
  const why = waitingFor === "" ? "" : `: ${waitingFor}`;
  if (upgrade !== undefined) return { ...task, status: "started", waitingFor: `${has}${why}` };
  const turn = `; its operator knows whether another site comes first: ${describeObject(`reaadb ${name}`)}`;
  return { ...task, status: "queued", waitingFor: `${has}${why || turn}` };
}

/** The tasks of a site that came when others held data, or has lost all of its data. */
function joinTasks({ record, database, link }: TaskFacts, self: string | undefined): readonly ActiveActiveTask[] {
  const site = database?.activeActive?.site;
  const awaits = database?.awaitsSites === true;
  if (site === undefined || (!awaits && !cameLater(record, site))) return [];
  const participants = record.participants.map(({ name }) => name);
  const { message } = replicationOf({ self, participants, record, olderNodes: [], link }).statement;
  return [{ id: `${record.guid}.join.${site}`, operation: "join_crdb", ...progress(awaits ? message : "") }];
}

const NO_DATABASE = "no database of this participant is its site yet";

function progress(waitingFor: string): Pick<ActiveActiveTask, "status" | "waitingFor"> {
  return { status: waitingFor === "" ? "finished" : "started", waitingFor };
}
