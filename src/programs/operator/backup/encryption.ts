import type { BackupSpec } from "../../../core/api/backup-spec.ts";
import { editSecret, writeSecret } from "../../../core/api/kubectl.ts";
import { backupKeysIn } from "../../../core/api/backup-keys.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import type { BackupStart } from "../../../ports/management/records/backups.ts";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";

/** For what keys are wanted. */
interface KeysUse {
  readonly databaseName: string;
  readonly namespace: string;
  /** The files are there already: only the keys that they were saved with read them. */
  readonly isSaved: boolean;
}

/** The keys that a spec names for its backups, of the Secret of that namespace; or why they may not be used. Without encryption there are none. */
export async function encryptionOf(
  deps: GivenDeps,
  asked: BackupSpec["encryption"],
  { databaseName: database, namespace, isSaved }: KeysUse,
): Promise<Pick<BackupStart, "encryption"> | Finding> {
  if (asked === undefined) return {};
  const { secretName: name } = asked;
  const { secret, objection } = await readGiven(deps, { name, namespace }, { kind: "backup-keys", database });
  if (objection !== undefined) return block("SecretNotGiven", objection.evidence, objection.remedy);
  if (secret === undefined)
    return keysMissing(
      `namespace ${namespace} has no Secret "${name}", by whose keys backups are encrypted`,
      name,
      isSaved,
    );
  const texts = new Map(Object.keys(secret.data ?? {}).map((key) => [key, secretText(secret, key)]));
  const keys = backupKeysIn(texts);
  if ("refusal" in keys)
    return block(
      "BackupKeysInvalid",
      `the Secret "${name}" cannot be used for backups: ${keys.refusal}`,
      editSecret(namespace, name),
    );
  if (keys.length === 0) return keysMissing(`the Secret "${name}" has no key-1`, name, isSaved);
  return { encryption: { keys: [...keys] } };
}

/** Backups that are there are read by the keys that they were saved with, and by no other. */
function keysMissing(what: string, name: string, isSaved: boolean): Finding {
  const remedy = isSaved
    ? writeSecret(name, "key-1")
    : `openssl rand -base64 32 | ${writeSecret(name, "key-1=/dev/stdin")}`;
  return block("SecretMissing", what, remedy);
}
