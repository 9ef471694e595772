import { visibleLine } from "#kit/base/visible";
import { storeOfSaved } from "../../../core/backup/saved-place.ts";
import { foldText, namedValues, textTable } from "../console/output.ts";
import { bytesText } from "../console/units.ts";
import type { BackupObject } from "./find.ts";

/** Whether nothing is wrong with it: it has not failed, and no engine could not load it. */
export function isGood({ status }: BackupObject): boolean {
  return status?.phase !== "Failed" && restorableOf(status) !== "False";
}

/** A row for each, and how each stands. */
export function backupsTable(backups: readonly BackupObject[], columns: number): string {
  if (backups.length === 0) return "no backups\n";
  return textTable(
    ["BACKUP", "DATABASE", "PHASE", "RESTORABLE", "KEYS", "BYTES", "COMPLETED"],
    backups.map(rowOf),
    columns,
  );
}

/** Where it lies, what is in it, and each condition with its reason. */
export function backupDetails(backup: BackupObject, columns: number): string {
  const { metadata, spec, status = {} } = backup;
  // an edit of the spec since then moves nothing
  const { bucketName, endpoint } = storeOfSaved(spec.s3, status);
  const rows: (readonly [string, string])[] = [
    ["BACKUP", metadata.name],
    ["DATABASE", spec.databaseName],
    ["BUCKET", `${bucketName}${endpoint === undefined ? "" : ` at ${endpoint}`}`],
    ["PATH", status.path ?? "-"],
    ["PHASE", status.phase ?? "Pending"],
    ["BEGAN", status.startTime ?? "-"],
    ["COMPLETED", status.completionTime ?? "-"],
    ["KEYS", numberText(status.keys)],
    ["BYTES", status.bytes === undefined ? "-" : bytesText(status.bytes)],
    ["ENCRYPTED BY", keyText(backup)],
    ["READABLE FROM", (status.readableFrom ?? []).join(", ") || "-"],
    ["LOADED", loadedText(backup)],
  ];
  const reasons = ["Complete", "Restorable"].flatMap((type) => {
    const said = conditionOf(backup, type);
    return said === undefined
      ? []
      : [`\n${type.toUpperCase()} ${said.status}, ${said.reason}\n`, foldText(said.message, "   ", columns)];
  });
  return [namedValues(rows, 16), ...reasons].join("");
}

/** How it stands, in one line. */
export function standText(backup: BackupObject): string {
  const { phase = "Pending" } = backup.status ?? {};
  const said =
    conditionOf(backup, phase === "Completed" ? "Restorable" : "Complete") ?? conditionOf(backup, "Complete");
  const stands = phase === "Completed" ? `Completed, ${restorableText(backup)}` : phase;
  return visibleLine(said === undefined ? stands : `${stands}: ${said.message}`);
}

function rowOf(backup: BackupObject): readonly string[] {
  const { metadata, spec, status = {} } = backup;
  return [
    metadata.name,
    spec.databaseName,
    status.phase ?? "Pending",
    restorableText(backup),
    numberText(status.keys),
    status.bytes === undefined ? "-" : bytesText(status.bytes),
    status.completionTime ?? "-",
  ];
}

function restorableText(backup: BackupObject): string {
  switch (restorableOf(backup.status)) {
    case "True":
      return "restorable";
    case "False":
      return "not restorable";
    default:
      return "not known";
  }
}

function loadedText({ status }: BackupObject): string {
  const { completionTime, engine } = status?.verification ?? {};
  return completionTime === undefined ? "-" : `${completionTime} by ${engine ?? "an engine"}`;
}

/** As the Secret has it, or is to have. */
function keyText({ spec, status }: BackupObject): string {
  const { keyName, keyId } = status?.encryption ?? {};
  const secret = spec.encryption?.secretName;
  const where = secret === undefined ? "" : ` in the Secret ${secret}`;
  if (keyId !== undefined) return `${keyName ?? ""}${where}, ${keyId}`;
  return secret === undefined ? "-" : `the newest key${where}`;
}

function numberText(value: number | undefined): string {
  return value === undefined ? "-" : String(value);
}

function restorableOf(status: BackupObject["status"]) {
  return status?.conditions?.find(({ type }) => type === "Restorable")?.status;
}

function conditionOf({ status }: Pick<BackupObject, "status">, wanted: string) {
  return status?.conditions?.find(({ type }) => type === wanted);
}
