import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { APP_LABEL, databaseSecretOf, LABELS } from "../../../core/api/names.ts";
import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { Fault, isFault } from "../../../core/base/fault.ts";
import type { DatabaseView } from "../../../core/planner/database/plan.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import { faults } from "../../../ports/kube/faults.ts";
import type { Kube, Ref, Stored } from "../../../ports/kube/kube.ts";
import { ownerReference } from "../../../ports/kube/ref.ts";
import { isNewer } from "../../../ports/kube/resource-version.ts";
import type { Informer } from "../../../ports/kube/informer.ts";
import { faults as operatorFaults } from "../faults.ts";
import { authorityDigest } from "../objects/authority.ts";
import { encoded, textOf } from "../objects/secret-text.ts";

type Redb = Stored<StoreEnterpriseDatabase>;

/** Name of the secret with which clients reach a database. */
export function secretNameOf({ metadata, spec }: Redb): string {
  return spec.databaseSecretName ?? databaseSecretOf(metadata.name);
}

type PasswordFrom = NonNullable<DatabaseStatus["passwordFrom"]>;

/** A password, and the version of the Secret that held it. */
export interface HeldPassword {
  readonly password: string;
  readonly from: PasswordFrom;
}

/**
 * Whether the cluster was given the password that the Secret of a database has now, as far as their versions tell. `lost`: it is not
 * there, and is one that the product makes.
 */
export function secretState(secrets: Pick<Informer<object>, "get">, redb: Redb): DatabaseView["secret"] {
  const { metadata } = secrets.get(secretRef(redb)) ?? {};
  if (metadata === undefined) return redb.spec.databaseSecretName === undefined ? "lost" : "missing";
  const given = redb.status?.passwordFrom;
  return given?.secret === metadata.name && !isNewer(metadata.resourceVersion, given.resourceVersion)
    ? "given"
    : "changed";
}

/**
 * Whose the Secret is that a database names, as far as the cache has it: of a cluster, or of another database. Undefined for any
 * other, and for one that the database has had before.
 */
export function foreignOwner(secrets: Pick<Informer<object>, "get">, redb: Redb): string | undefined {
  const { metadata } = secrets.get(secretRef(redb)) ?? {};
  return metadata === undefined ? undefined : ownerOf(metadata, redb);
}

function ownerOf({ labels = {}, ownerReferences = [] }: Metadata, redb: Redb): string | undefined {
  if (hasHad(redb)) return undefined;
  const owner = ownerReferences.find(
    ({ apiVersion, uid }) => apiVersion === redb.apiVersion && uid !== redb.metadata.uid,
  );
  if (owner !== undefined) return `${owner.kind} ${owner.name}`;
  const cluster = labels[LABELS.cluster];
  if (cluster !== undefined) return `StoreEnterpriseCluster ${cluster}`;
  const database = labels[LABELS.database];
  return database === undefined || database === redb.metadata.name ? undefined : `StoreEnterpriseDatabase ${database}`;
}

/** The status names a Secret that was refused, too: only that of a password says that it was taken. Release 0.1.0 says none. */
function hasHad(redb: Redb): boolean {
  const { passwordFrom, databaseUID, databaseSecretName } = redb.status ?? {};
  if (passwordFrom !== undefined) return passwordFrom.secret === secretNameOf(redb);
  return databaseUID !== undefined && databaseSecretName === secretNameOf(redb);
}

type Metadata = Pick<Stored<Secret>["metadata"], "labels" | "ownerReferences">;

/** The Secret as it is now; SECRET_OF_ANOTHER where the cache did not know yet that it is another's. */
async function readSecret(kube: Kube, redb: Redb): Promise<Stored<Secret> | undefined> {
  const found = await kube.get(Secrets, secretRef(redb));
  const owner = found && ownerOf(found.metadata, redb);
  if (owner !== undefined)
    throw new Fault(operatorFaults.secretOfAnother, `the Secret "${secretNameOf(redb)}" is used by ${owner}`);
  return found;
}

/** The password in the Secret of a database that exists; undefined when it is gone or has none: the database keeps its own then. */
export async function heldPassword(kube: Kube, redb: Redb): Promise<HeldPassword | undefined> {
  const found = await readSecret(kube, redb);
  const password = textOf(found, "password");
  if (found === undefined || password === "") return undefined;
  return { password, from: versionOf(found) };
}

/** The database's password; the secret is made, with a random one, when it is not there or has none. */
export async function keepPassword(kube: Kube, redb: Redb): Promise<HeldPassword> {
  const fresh = randomBytes(24).toString("base64url");
  // most databases that nothing has been said of are new, and have no secret to look for
  const made = redb.status?.databaseSecretName === undefined ? await makeUnlessThere(kube, redb, fresh) : undefined;
  if (made !== undefined) return made;
  const found = await readSecret(kube, redb);
  const known = textOf(found, "password");
  if (found !== undefined && known !== "") return { password: known, from: versionOf(found) };
  const stored =
    found === undefined ? await make(kube, redb, fresh) : await merge(kube, secretRef(redb), { password: fresh });
  return { password: fresh, from: versionOf(stored) };
}

/** Undefined when it was there. */
async function makeUnlessThere(kube: Kube, redb: Redb, password: string): Promise<HeldPassword | undefined> {
  try {
    return { password, from: versionOf(await make(kube, redb, password)) };
  } catch (error) {
    if (isFault(error, faults.alreadyExists)) return undefined;
    throw error;
  }
}

function make(kube: Kube, redb: Redb, password: string): Promise<Stored<Secret>> {
  const labels = { [LABELS.app]: APP_LABEL, [LABELS.database]: redb.metadata.name };
  return kube.create(Secrets, {
    metadata: { ...secretRef(redb), labels, ownerReferences: [ownerReference(redb)] },
    type: "Opaque",
    data: { password: encoded(password) },
  });
}

function versionOf({ metadata }: Stored<Secret>): PasswordFrom {
  return { secret: metadata.name, resourceVersion: metadata.resourceVersion };
}

/** A change of the Secret of a database by another writer is corrected within this time, in milliseconds. */
const RECHECK_MS = 30 * 60_000;

/** Keeps the address in the Secret; the answer is the version of it whose password the cluster has. */
export type AddressReconciler = (
  redb: Redb,
  /** An authority that is undefined is left as it is. */
  address: {
    readonly port: number;
    readonly authority: string | undefined;
    /** The Secret took no change when it was last written. */
    readonly wasRefused?: boolean;
  },
  given: PasswordFrom | undefined,
) => Promise<PasswordFrom | undefined>;

/**
 * Publishes where a database is, and by which authority clients know it: keys `port`, `service_names` and `ca.crt` of its Secret,
 * which has been made before. Asks nothing while the status says that it is published, except for a check now and then.
 */
export function addressReconciler(kube: Kube, clock: Clock): AddressReconciler {
  const looked = new Map<string, number>();
  return async (redb, { port, authority, wasRefused = false }, given) => {
    const now = clock.uptimeMs();
    const at = looked.get(redb.metadata.uid) ?? now;
    looked.set(redb.metadata.uid, at);
    const place = { port: String(port), service_names: redb.metadata.name };
    const wanted = authority === undefined ? place : { ...place, "ca.crt": authority };
    const isDone =
      !wasRefused && isReported(redb, port) && (authority === undefined || knowsAuthority(redb, authority));
    if (isDone && now - at < RECHECK_MS) return given;
    const isWritten = isDone && (await says(kube, redb, wanted));
    looked.set(redb.metadata.uid, now);
    return isWritten ? given : tell(kube, secretRef(redb), wanted, given);
  };
}

/** The status names the port only after the Secret does. */
function isReported(redb: Redb, port: number): boolean {
  const { internalEndpoints, databaseSecretName } = redb.status ?? {};
  return internalEndpoints?.[0]?.port === port && databaseSecretName === secretNameOf(redb);
}

function knowsAuthority({ status }: Redb, authority: string): boolean {
  return status?.authorityDigest === authorityDigest(authority);
}

async function says(kube: Kube, redb: Redb, wanted: Texts): Promise<boolean> {
  const found = await kube.get(Secrets, secretRef(redb));
  return found === undefined || Object.entries(wanted).every(([key, text]) => textOf(found, key) === text);
}

/** An own write is no new password, unless another writer was there in between. A Secret that is gone stays gone. */
async function tell(
  kube: Kube,
  ref: Required<Ref>,
  wanted: Texts,
  given: PasswordFrom | undefined,
): Promise<PasswordFrom | undefined> {
  try {
    if (given?.secret !== ref.name) await merge(kube, ref, wanted);
    else return versionOf(await merge(kube, ref, wanted, given.resourceVersion));
  } catch (error) {
    if (isFault(error, faults.conflict)) return tell(kube, ref, wanted, undefined).then(() => given);
    if (!isFault(error, faults.notFound)) throw error;
  }
  return given;
}

type Texts = Readonly<Record<string, string>>;

function merge(kube: Kube, ref: Ref, texts: Texts, resourceVersion?: string): Promise<Stored<Secret>> {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === "" ? null : encoded(text)]),
  );
  const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
  return kube.patch(Secrets, ref, { type: "merge", body: { ...metadata, data } });
}

function secretRef(redb: Redb): Required<Ref> {
  return { name: secretNameOf(redb), namespace: redb.metadata.namespace ?? "default" };
}
