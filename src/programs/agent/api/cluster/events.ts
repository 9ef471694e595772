import type { ClusterStateRecord, DatabaseRecord } from "../../../../core/api/records.ts";
import type { EventRecord } from "../../../../ports/management/records.ts";
import type { Members } from "../../members/members.ts";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What the events of a cluster are read from. */
export interface EventsContext {
  readonly records: Pick<Records, "state" | "databases">;
  readonly members: Pick<Members, "list">;
}

/** The events whose time the records of the cluster still hold, and of them those that `query` asks for. */
export function listEvents(context: EventsContext, query: Readonly<Record<string, string>>): readonly EventRecord[] {
  const [since, until] = [timeOf(query, "stime"), timeOf(query, "etime")];
  const offset = countOf(query, "offset") ?? 0;
  const all = eventsOf(context)
    .filter(({ time }) => (since ?? 0) <= Date.parse(time) && Date.parse(time) <= (until ?? Infinity))
    .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const ordered = query.order === "desc" ? all.toReversed() : all;
  return ordered.slice(offset, offset + (countOf(query, "limit") ?? ordered.length));
}

function eventsOf({ records, members }: EventsContext): readonly EventRecord[] {
  const nodes = members
    .list()
    .map(({ uid, report }) => ({ time: report.startedAt, type: "node_started", node_uid: uid }) as const);
  const state = records.state();
  return [...nodes, ...records.databases().flatMap(databaseEvents), ...(state === undefined ? [] : stateEvents(state))];
}

function databaseEvents({ uid, name, createdTime, lastChangedTime }: DatabaseRecord): readonly EventRecord[] {
  const about = { bdb_uid: uid, name };
  return [
    { ...about, time: createdTime, type: "bdb_created" },
    ...(lastChangedTime === createdTime ? [] : [{ ...about, time: lastChangedTime, type: "bdb_changed" } as const]),
  ];
}

function stateEvents({ createdTime, modules = [], maintenance }: ClusterStateRecord): readonly EventRecord[] {
  return [
    { time: createdTime, type: "cluster_created" },
    ...modules.map(({ name, installedTime: time }) => ({ time, type: "module_installed", name }) as const),
    ...maintenance.map(({ node, since: time }) => ({ time, type: "node_left", node_uid: node }) as const),
  ];
}

function timeOf(query: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw refuse(refusals.badRequest, `${name}: must be a time such as 2026-01-31T12:00:00Z`);
  return time;
}

function countOf(query: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw refuse(refusals.badRequest, `${name}: must be a number`);
  return Number(text);
}
