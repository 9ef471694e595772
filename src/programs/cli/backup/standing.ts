import { shellWord } from "#kit/base/shell-word";
import { visibleLine } from "#kit/base/visible";
import { describeObject, patchObject } from "../../../core/api/kubectl.ts";
import { freshnessOf, newestBackup } from "../../../core/backup/freshness.ts";
import type { Denied } from "../access/denied.ts";
import type { Look } from "../access/look.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { backupsAround, type BackupObject, type BackupsAround, type ScheduleObject } from "./find.ts";
import { isFollowed, keepsTooMany } from "./schedules.ts";

/** How the backups of a database stand. */
export interface BackupStanding {
  readonly database: string;
  /** The newest one that can be restored, and when it was complete; empty when there is none. */
  readonly newest: string;
  readonly completed: string;
  readonly schedules: readonly string[];
  /**
   * `fresh`: as new as each schedule asks for; `awaited`: there is none, and the first one is not due yet; `unscheduled`: nothing says how new it should
   * be; `unknown`: the operator has not followed a schedule yet, and so has not said what that asks for.
   */
  readonly state: "fresh" | "awaited" | "stale" | "unscheduled" | "unknown";
  readonly troubles: readonly BackupTrouble[];
}

/** What keeps a database without backups that are new enough. Nothing waits for it. */
export interface BackupTrouble {
  readonly rule: string;
  readonly evidence: string;
  readonly since: string;
  readonly clears: string;
}

/** As the namespace has them now; undefined when the caller may not read them, and a note in `denied`. */
export async function standingsIn(
  access: Pick<NamespaceAccess, "kube" | "namespace" | "clock">,
  denied: Denied,
  databases: Look["databases"],
): Promise<readonly BackupStanding[] | undefined> {
  const around = await backupsAround(access, denied);
  const staying = databases.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = staying.map(({ metadata }) => metadata.name);
  return around === undefined ? undefined : backupStandings(names, around, access.clock.now().getTime());
}

/** Those of each of these databases that has a schedule or a backup. */
export function backupStandings(
  databases: readonly string[],
  { schedules, backups }: BackupsAround,
  now: number,
): readonly BackupStanding[] {
  return databases.flatMap((database) => {
    const own = {
      schedules: schedules.filter(({ spec }) => spec.databaseName === database),
      backups: backups.filter(({ spec }) => spec.databaseName === database),
    };
    return own.schedules.length + own.backups.length === 0 ? [] : [standingOf(database, own, now)];
  });
}

function standingOf(database: string, own: BackupsAround, now: number): BackupStanding {
  const newest = newestBackup(own.backups, database);
  const stale = own.schedules.find((schedule) => isStale(schedule, newest?.at, now));
  const unfollowed = own.schedules.filter((schedule) => !isFollowed(schedule));
  const troubles = [
    ...unfollowed.map((schedule) => saidTrouble(schedule, "Ready")),
    ...own.schedules.filter(keepsTooMany).map((schedule) => saidTrouble(schedule, "Retention")),
  ];
  return {
    database,
    newest: newest?.name ?? "",
    completed: newest === undefined ? "" : new Date(newest.at).toISOString(),
    schedules: own.schedules.map(({ metadata }) => metadata.name),
    state: stale === undefined ? stateWithoutStale(own, newest !== undefined) : "stale",
    troubles: stale === undefined ? troubles : [...troubles, staleTrouble(stale, own, now)],
  };
}

function stateWithoutStale({ schedules }: BackupsAround, isThere: boolean): BackupStanding["state"] {
  if (schedules.length === 0) return "unscheduled";
  if (schedules.some(({ status }) => status?.wantedAgeSeconds === undefined)) return "unknown";
  return isThere ? "fresh" : "awaited";
}

/** By the clock, and not by its condition: the operator may be away. */
function isStale({ metadata, status }: ScheduleObject, newestAt: number | undefined, now: number): boolean {
  const { wantedAgeSeconds } = status ?? {};
  if (wantedAgeSeconds === undefined) return false;
  const since = timeOf(metadata.creationTimestamp);
  return freshnessOf({ newestAt, since, wantedMs: wantedAgeSeconds * 1_000, now }).isStale;
}

function saidTrouble(schedule: ScheduleObject, type: "Ready" | "Retention"): BackupTrouble {
  const { name } = schedule.metadata;
  const { reason = "", message = "", lastTransitionTime = "" } = conditionOf(schedule, type) ?? {};
  const { evidence, clears } = partsOf(message, describeObject(objectOf(name)));
  return { rule: reason, evidence: `the schedule "${name}": ${evidence}`, since: lastTransitionTime, clears };
}

function staleTrouble(schedule: ScheduleObject, { backups }: BackupsAround, now: number): BackupTrouble {
  const { metadata, spec, status = {} } = schedule;
  const newest = newestBackup(backups, spec.databaseName);
  const wanted = status.wantedAgeSeconds ?? 0;
  const from = newest?.at ?? timeOf(metadata.creationTimestamp);
  const what =
    newest === undefined
      ? `"${spec.databaseName}" has no backup that can be restored`
      : `the newest backup of "${spec.databaseName}" that can be restored, ${newest.name}, is ${hours((now - from) / 1_000)} old`;
  const { why, clears } = causeOf(schedule, backups);
  return {
    rule: "BackupStale",
    evidence: visibleLine(
      `${what}, and the schedule "${metadata.name}" asks for one of at most ${hours(wanted)}: ${why}`,
    ),
    since: new Date(from + wanted * 1_000).toISOString(),
    clears,
  };
}

interface Cause {
  readonly why: string;
  readonly clears: string;
}

/** Why there is no newer one, and the command that helps. */
function causeOf(schedule: ScheduleObject, backups: readonly BackupObject[]): Cause {
  const { metadata, spec } = schedule;
  if (spec.suspend === true) {
    const clears = patchObject("rebackupschedule", metadata.name, { spec: { suspend: false } });
    return { why: "it is suspended", clears };
  }
  const ready = conditionOf(schedule, "Ready");
  if (ready?.status === "False") {
    const { clears } = partsOf(ready.message, describeObject(objectOf(metadata.name)));
    return { why: `it does not go on (${ready.reason})`, clears };
  }
  const last = backups.toSorted((one, other) => madeAt(one) - madeAt(other)).at(-1);
  if (last === undefined) return { why: "none was taken yet", clears: describeObject(objectOf(metadata.name)) };
  return causeIn(last);
}

function causeIn(last: BackupObject): Cause {
  const takeOne = `storectl backup now ${shellWord(last.spec.databaseName)}`;
  const { name } = last.metadata;
  const { phase = "Pending" } = last.status ?? {};
  const said = conditionOf(last, phase === "Completed" ? "Restorable" : "Complete");
  const reason = said === undefined ? "" : ` (${said.reason}: ${said.message})`;
  switch (phase) {
    case "Failed":
      return { why: `${name} has failed${reason}`, clears: takeOne };
    case "Completed":
      if (said?.status === "True") return { why: `none was taken after ${name}`, clears: takeOne };
      if (said?.status === "False") return { why: `${name} cannot be restored${reason}`, clears: takeOne };
      return { why: `${name} was not loaded${reason}`, clears: `storectl backup verify ${shellWord(name)}` };
    default:
      return { why: `${name} is ${phase}${reason}`, clears: `storectl backup show ${shellWord(name)}` };
  }
}

/** A message may have the message of another object with a remedy in it: the last one is its own. */
function partsOf(message: string, otherwise: string): { readonly evidence: string; readonly clears: string } {
  const at = message.lastIndexOf(BEFORE_REMEDY);
  if (at < 0) return { evidence: message, clears: otherwise };
  return { evidence: message.slice(0, at), clears: message.slice(at + BEFORE_REMEDY.length) };
}

const BEFORE_REMEDY = "; remedy: ";

function objectOf(schedule: string): string {
  return `rebackupschedule/${schedule}`;
}

function conditionOf({ status }: Pick<BackupObject | ScheduleObject, "status">, wanted: string) {
  return status?.conditions?.find(({ type }) => type === wanted);
}

function madeAt({ metadata }: BackupObject): number {
  return timeOf(metadata.creationTimestamp);
}

function timeOf(timestamp: unknown): number {
  return Date.parse(String(timestamp ?? ""));
}

function hours(seconds: number): string {
  return seconds >= 7_200 ? `${Math.round(seconds / 360) / 10} h` : `${Math.ceil(seconds / 60)} min`;
}
