import type { BackupSpec } from "../../../core/api/backup-spec.ts";
import { createSecretOf, editSecret, writeSecret } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import type { BackupRecord, BackupStart } from "../../../ports/management/records/backups.ts";
import { encryptionOf } from "./encryption.ts";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";
import { findingOfFailure, type BackedUpDatabase } from "./database-of.ts";

/** What a backup is called in the object store. */
export interface BackupPlace {
  readonly name: string;
  readonly folder: string;
  /** Where its object is, and so its Secrets. */
  readonly namespace: string;
  /** Its files are there already: only the keys that they were saved with read them. */
  readonly isSaved: boolean;
}

/** Asks the cluster to take it; why when it does not, or when a Secret may not be used for it. */
export async function beginBackup(
  deps: GivenDeps,
  { client, uid }: BackedUpDatabase,
  spec: BackupSpec,
  place: BackupPlace,
): Promise<BackupRecord | Finding> {
  const store = await storeOf(deps, spec, place.namespace);
  if ("id" in store) return store;
  const { databaseName } = spec;
  const { name, folder, namespace, isSaved } = place;
  const encryption = await encryptionOf(deps, spec.encryption, { databaseName, namespace, isSaved });
  if ("id" in encryption) return encryption;
  const rate = spec.bytesPerSecond === undefined ? {} : { bytes_per_second: spec.bytesPerSecond };
  const body: BackupStart = { name, folder, s3: store, verify: spec.verify ?? true, ...encryption, ...rate };
  try {
    return await client.call("startBackup", { params: { uid }, body });
  } catch (error) {
    return findingOfFailure(error);
  }
}

/** The object store that a spec names, with the credentials in the Secrets of that namespace; or why these may not be used. */
export async function storeOf(
  deps: GivenDeps,
  { databaseName, s3 }: Pick<BackupSpec, "databaseName" | "s3">,
  namespace: string,
): Promise<BackupStart["s3"] | Finding> {
  const { bucketName: bucket, regionName: region = "us-east-1", endpoint, pathStyle = false } = s3;
  const ref = { name: s3.awsSecretName, namespace };
  const making = createSecretOf(ref.name, { AWS_ACCESS_KEY_ID: "…", AWS_SECRET_ACCESS_KEY: "…" });
  const login = await textsIn(deps, ref, databaseName, { keys: LOGIN, making });
  if ("id" in login) return login;
  const [access_key_id = "", secret_access_key = "", session_token = ""] = login.texts;
  if (access_key_id === "" || secret_access_key === "") return lacksKeys(ref, LOGIN.slice(0, 2));
  const authorities = await authoritiesOf(deps, s3.caCertificateSecretName, namespace, databaseName);
  if ("id" in authorities) return authorities;
  return {
    bucket,
    region,
    path_style: pathStyle,
    access_key_id,
    secret_access_key,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(session_token === "" ? {} : { session_token }),
    ...authorities,
  };
}

async function authoritiesOf(
  deps: GivenDeps,
  name: string | undefined,
  namespace: string,
  database: string,
): Promise<{ readonly ca_certificate?: string } | Finding> {
  if (name === undefined) return {};
  const wanted = { keys: ["ca.crt"], making: writeSecret(name, "ca.crt") };
  const read = await textsIn(deps, { name, namespace }, database, wanted);
  if ("id" in read) return read;
  const [authorities = ""] = read.texts;
  return authorities === "" ? lacksKeys({ name, namespace }, ["ca.crt"]) : { ca_certificate: authorities };
}

async function textsIn(
  deps: GivenDeps,
  ref: SecretRef,
  database: string,
  { keys, making }: { readonly keys: readonly string[]; readonly making: string },
): Promise<{ readonly texts: readonly string[] } | Finding> {
  const { secret, objection } = await readGiven(deps, ref, { kind: "object-store", database });
  if (objection !== undefined) return block("SecretNotGiven", objection.evidence, objection.remedy);
  if (secret === undefined) return secretMissing(`namespace ${ref.namespace} has no Secret "${ref.name}"`, making);
  return { texts: keys.map((key) => secretText(secret, key).trim()) };
}

function lacksKeys({ name, namespace }: SecretRef, keys: readonly string[]): Finding {
  return secretMissing(`the Secret "${name}" has no ${keys.join(" and ")}`, editSecret(namespace, name));
}

function secretMissing(what: string, remedy: string): Finding {
  return block("SecretMissing", what, remedy);
}

interface SecretRef {
  readonly name: string;
  readonly namespace: string;
}

/** The last one is there with credentials that end soon, and may be absent. */
const LOGIN = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
