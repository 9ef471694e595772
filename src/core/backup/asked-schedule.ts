import { type AskedBackup, DEFAULT_INTERVAL, whyUnoffered } from "../api/asked-backup.ts";
import { backupScheduleSpec, type BackupScheduleSpec } from "../api/backup-schedule-spec.ts";
import { KINDS } from "../api/kinds.ts";
import { deleteObjects, patchDatabase } from "../api/kubectl.ts";
import { warn, type FindingOf } from "../planner/findings/finding.ts";
import { act, REST, waitFor, type Step } from "../planner/findings/step.ts";

/** A database, as far as the schedule of its `spec.backup` goes. */
export interface AskingDatabase {
  readonly name: string;
  readonly uid: string;
  /** Whether it is a site of an Active-Active database. */
  readonly isSite: boolean;
  /** Its `spec.backup`. */
  readonly backup: AskedBackup | undefined;
}

/** The schedule that has the name of the database. */
export interface NamesakeSchedule {
  /** The object that manages it. */
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
  /** It is being deleted. */
  readonly isGoing: boolean;
  readonly spec: unknown;
}

/** Why there is no schedule as the database asks for it. */
type Hindrance = FindingOf<"BackupRefused" | "BackupScheduleTaken" | "BackupScheduleGoing">;

/** What is to be done about the schedule of a database. */
export type AskedScheduleAct =
  { readonly kind: "make" | "correct"; readonly spec: BackupScheduleSpec } | { readonly kind: "remove" };

/** A database has the schedule that its `spec.backup` asks for and none without it; what it does not own is never touched. */
export function decideAskedSchedule(
  database: AskingDatabase,
  schedule: NamesakeSchedule | undefined,
): Step<AskedScheduleAct> {
  const isOwn = schedule?.owner?.uid === database.uid;
  if (database.backup === undefined)
    return isOwn && !schedule.isGoing ? act({ kind: "remove" }, "spec.backup is gone") : REST;
  const hindrance = refusalOf(database) ?? (schedule === undefined ? undefined : takenBy(database, schedule));
  if (hindrance !== undefined) return waitFor(hindrance);
  const spec = scheduleFor(database, database.backup);
  if (schedule === undefined) return act({ kind: "make", spec }, "spec.backup asks for it");
  if (schedule.isGoing || isSameSpec(schedule.spec, spec)) return REST;
  return act({ kind: "correct", spec }, "it is not as spec.backup says");
}

/** The five fields of cron of a backup: in UTC, the hours of a day that are whole intervals after its offset. */
export function timesOf({ interval = DEFAULT_INTERVAL, intervalOffset }: AskedBackup, uid: string): string {
  const minutes = interval / MINUTE;
  const offset = intervalOffset === undefined ? spreadOf(uid) % minutes : intervalOffset / MINUTE;
  const step = minutes / 60;
  const first = Math.floor(offset / 60);
  const hours = Array.from({ length: 24 / step }, (_, index) => first + index * step);
  return `${offset % 60} ${step === 1 ? "*" : hours.join(",")} * * *`;
}

function scheduleFor({ name, uid }: AskingDatabase, backup: AskedBackup): BackupScheduleSpec {
  const { interval: _, intervalOffset: __, ...asked } = backup;
  return { ...asked, databaseName: name, schedule: timesOf(backup, uid), timeZone: "UTC" };
}

/** The webhook says the same, but may be away when an object is written. */
function refusalOf({ name, isSite, backup }: AskingDatabase): Hindrance | undefined {
  const why = whyUnoffered({ name, isSite });
  if (backup === undefined || why === undefined) return undefined;
  return warn("BackupRefused", `spec.backup: ${why}`, `leave it out: ${withoutBackup(name)}`);
}

function takenBy({ name, uid }: AskingDatabase, { owner }: NamesakeSchedule): Hindrance | undefined {
  if (owner?.uid === uid) return undefined;
  if (owner?.kind === KINDS.database.kind && owner.name === name) {
    const evidence = `spec.backup: the StoreEnterpriseBackupSchedule "${name}" is that of a former database of this name, and goes with it; this one gets its own then`;
    return warn("BackupScheduleGoing", evidence, `wait, or remove it: ${deleteSchedule(name)}`);
  }
  const whose = owner === undefined ? "" : `, but of ${owner.kind} "${owner.name}"`;
  const evidence = `spec.backup: the StoreEnterpriseBackupSchedule "${name}" is not of this database${whose}; it stays as it is, and no backup is taken as spec.backup says`;
  const remedy = `let the database have one of its own: ${deleteSchedule(name)}; or keep that one alone: ${withoutBackup(name)}`;
  return warn("BackupScheduleTaken", evidence, remedy);
}

function deleteSchedule(name: string): string {
  return deleteObjects(KINDS.backupSchedule.shortName, [name]);
}

function withoutBackup(name: string): string {
  return patchDatabase(name, { backup: null });
}

/** Of two that the schema has read, members stand in the same order. */
function isSameSpec(there: unknown, wanted: BackupScheduleSpec): boolean {
  const read = backupScheduleSpec.safeParse(there);
  return read.success && JSON.stringify(read.data) === JSON.stringify(backupScheduleSpec.parse(wanted));
}

/** A number that is the same as long as the uid is. */
function spreadOf(uid: string): number {
  return [...uid].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % LARGE_PRIME, 7);
}

const MINUTE = 60;
const LARGE_PRIME = 16_777_213;
