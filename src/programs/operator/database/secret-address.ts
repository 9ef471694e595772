import type { Clock } from "#kit/base/clock";
import { isFault } from "#kit/base/fault";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { faults } from "#kit/kube/faults";
import { authorityDigest } from "../objects/authority.ts";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";
import { writeGiven } from "../secrets/write.ts";
import type { Redb } from "./cluster.ts";
import { passwordSource, type PasswordFrom } from "./secret.ts";
import { secretNameOf, secretRef, takenKeys, useOf, verdictOn } from "./secret-verdict.ts";

/** Which databases there are. */
interface Followed {
  readonly databases: Pick<InformerCache["databases"], "list">;
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
 * which has been made before. Asks nothing while the status says that it is published, except for a check now and then. Keys that
 * the operator has not written stay, and a Secret that the database may not use stays as a whole.
 */
export function addressReconciler(
  deps: GivenDeps & { readonly clock: Clock; readonly cache: Followed },
): AddressReconciler {
  const looked = new Map<string, number>();
  return async (redb, { port, authority, wasRefused = false }, given) => {
    const now = deps.clock.uptimeMs();
    if (!looked.has(redb.metadata.uid)) forgetGone(looked, deps.cache);
    const at = looked.get(redb.metadata.uid) ?? now;
    looked.set(redb.metadata.uid, at);
    const place = { port: String(port), service_names: redb.metadata.name };
    const wanted = authority === undefined ? place : { ...place, "ca.crt": authority };
    const isDone =
      !wasRefused && isReported(redb, port) && (authority === undefined || knowsAuthority(redb, authority));
    if (isDone && now - at < RECHECK_MS) return given;
    looked.set(redb.metadata.uid, now);
    return publish(deps, redb, wanted, given);
  };
}

/** Objects come and go while the operator runs. */
function forgetGone(looked: Map<string, number>, { databases }: Followed): void {
  const there = new Set(databases.list().map(({ metadata }) => metadata.uid));
  for (const uid of looked.keys()) if (!there.has(uid)) looked.delete(uid);
}

/** The status names the port only after the Secret does. */
function isReported(redb: Redb, port: number): boolean {
  const { internalEndpoints, databaseSecretName } = redb.status ?? {};
  return internalEndpoints?.[0]?.port === port && databaseSecretName === secretNameOf(redb);
}

function knowsAuthority({ status }: Redb, authority: string): boolean {
  return status?.authorityDigest === authorityDigest(authority);
}

/** An own write is no new password, unless another writer was there in between. A Secret that is gone stays gone. */
async function publish(
  deps: GivenDeps,
  redb: Redb,
  wanted: Readonly<Record<string, string>>,
  given: PasswordFrom | undefined,
): Promise<PasswordFrom | undefined> {
  const read = await readGiven(deps, secretRef(redb), useOf(redb));
  const { secret } = read;
  if (secret === undefined || verdictOn(read, redb).failure !== undefined) return given;
  const taken = takenKeys(read, redb);
  const ours = Object.entries(wanted).filter(([key]) => !taken.includes(key));
  if (ours.every(([key, text]) => secretText(secret, key) === text)) return given;
  const texts = Object.fromEntries(ours); // each of them is noted as the operator's
  const { name, resourceVersion } = secret.metadata;
  try {
    const written = await writeGiven(deps.kube, secret, texts, redb.metadata.uid);
    return given?.secret === name && given.resourceVersion === resourceVersion ? passwordSource(written) : given;
  } catch (error) {
    if (isFault(error, faults.conflict)) return publish(deps, redb, wanted, given);
    if (!isFault(error, faults.notFound)) throw error;
    return given;
  }
}
