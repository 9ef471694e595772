import type { BackupSpec, BackupStatus } from "../api/backup-spec.ts";
import { RESTORES_FROM_ANNOTATION } from "../api/names.ts";
import type { RestoreSpec } from "../api/restore-spec.ts";
import { annotate } from "../api/kubectl.ts";
import type { Finding } from "../api/parts.ts";
import { block, partsOf, pause } from "../planner/findings/finding.ts";
import { isOwnPath } from "./layout.ts";
import { storeOfSaved } from "./saved-place.ts";

/** Where the backup lies that is to be restored, and for which database its Secret has to be given. */
export interface RestoreSource {
  readonly folder: string;
  readonly name: string;
  readonly s3: BackupSpec["s3"];
  /** By whose keys it is read; undefined: it is not encrypted. */
  readonly encryption: BackupSpec["encryption"];
  readonly database: string;
}

/** Why a backup is not restored, now or for good. */
export interface RestoreRefusal extends Finding {
  readonly isForGood: boolean;
}

/** The object of a backup, as far as a restore rests on it. */
export interface NamedBackup {
  readonly name: string;
  readonly uid: string;
  readonly spec: Pick<BackupSpec, "databaseName" | "s3" | "encryption">;
  readonly status: BackupStatus;
}

/** Where the backup is that a spec names; or why it cannot be taken. `backup`: the object of that name in the namespace. */
export function restoreSource(
  spec: RestoreSpec,
  namespace: string,
  backup: NamedBackup | undefined,
): RestoreSource | RestoreRefusal {
  const { backupName, location, replaceLostData = false } = spec;
  if (replaceLostData && spec.database !== undefined)
    return forGood(
      block(
        "SpecInvalid",
        "spec.database, spec.replaceLostData: at most one of them, since a database that is there stays what it is",
        ANOTHER,
      ),
    );
  if ((backupName === undefined) === (location === undefined))
    return forGood(
      block("SpecInvalid", "spec.backupName, spec.location: exactly one of them says which backup is meant", ANOTHER),
    );
  const { encryption } = spec;
  if (location !== undefined)
    return { ...placeIn(location.path), s3: location.s3, encryption, database: spec.databaseName };
  if (backup === undefined)
    return forNow(
      block(
        "BackupNotFound",
        `namespace ${namespace} has no StoreEnterpriseBackup "${backupName ?? ""}"`,
        "name one that is there, or where it lies by spec.location",
      ),
    );
  const source = sourceOfObject(backup, namespace);
  return "id" in source || encryption === undefined ? source : { ...source, encryption };
}

function sourceOfObject({ name, uid, spec, status }: NamedBackup, namespace: string): RestoreSource | RestoreRefusal {
  const { phase = "Pending", path = "", conditions = [] } = status;
  if (phase === "Failed") return forGood(block("BackupFailed", `the backup "${name}" has failed`, ANOTHER_BACKUP));
  if (phase !== "Completed") return forNow(pause("BackupNotComplete", `the backup "${name}" is ${phase}`));
  const proof = conditions.find(({ type }) => type === "Restorable");
  if (proof?.status === "False") {
    const { evidence } = partsOf(proof.message);
    return forGood(block("BackupNotRestorable", `the backup "${name}" cannot be loaded: ${evidence}`, ANOTHER_BACKUP));
  }
  if (!isOwnPath(path, { name, uid, namespace, database: spec.databaseName }))
    return forGood(
      block("BackupPathForeign", `status.path of the backup "${name}" is not one of its own: ${path}`, ANOTHER_BACKUP),
    );
  const { databaseName: database, encryption } = spec;
  return { ...placeIn(path), s3: storeOfSaved(spec.s3, status), encryption, database };
}

/**
 * Why the backup may not be restored in a namespace: its data belong to another one, and the owner of the Secret by which it is read has not said that they may be.
 * `allowed`: the namespaces that the Secret lists.
 */
export function foreignBackup(
  saved: { readonly namespace: string; readonly name: string },
  here: { readonly namespace: string; readonly secret: string; readonly allowed: readonly string[] },
): RestoreRefusal | undefined {
  if (saved.namespace === here.namespace || here.allowed.includes(saved.namespace)) return undefined;
  const listed = [...here.allowed, saved.namespace].join(",");
  const why = `it is a backup of "${saved.name}" in namespace ${saved.namespace}, and the owner of the Secret "${here.secret}" has not given it for that`;
  const remedy = annotate("secret", here.secret, `${RESTORES_FROM_ANNOTATION}=${listed}`);
  return forNow(block("BackupOfAnotherNamespace", why, remedy));
}

/** It is tried again. */
export function forNow(finding: Finding): RestoreRefusal {
  return { ...finding, isForGood: false };
}

/** The restore has failed by it. */
export function forGood(finding: Finding): RestoreRefusal {
  return { ...finding, isForGood: true };
}

const ANOTHER = "make another restore";
const ANOTHER_BACKUP = "name another backup by another restore";

function placeIn(path: string): { readonly folder: string; readonly name: string } {
  const whole = path.replace(/\/$/, "");
  const cut = whole.lastIndexOf("/");
  return { folder: whole.slice(0, Math.max(0, cut)), name: whole.slice(cut + 1) };
}
