import { randomBytes } from "node:crypto";
import type { Clock } from "../../../core/base/clock.ts";
import { APP_LABEL, LABELS } from "../../../core/api/names.ts";
import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { isFault } from "../../../core/base/fault.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import { faults } from "../../../ports/kube/faults.ts";
import type { Kube, Ref, Stored } from "../../../ports/kube/kube.ts";
import { ownerReference } from "../../../ports/kube/ref.ts";
import { encoded, textOf } from "../objects/secrets.ts";

type Redb = Stored<StoreEnterpriseDatabase>;

/** Name of the secret with which clients reach a database. */
export function secretNameOf({ metadata, spec }: Redb): string {
  return spec.databaseSecretName ?? `redb-${metadata.name}`;
}

/** The database's password; the secret is made, with a random one, when it is not there or has none. */
export async function keepPassword(kube: Kube, redb: Redb): Promise<string> {
  const fresh = randomBytes(24).toString("base64url");
  // most databases that nothing has been said of are new, and have no secret to look for
  if (redb.status?.databaseSecretName === undefined && (await isMade(kube, redb, fresh))) return fresh;
  const found = await kube.get(Secrets, secretRef(redb));
  const known = textOf(found, "password");
  if (known !== "") return known;
  await (found === undefined ? make(kube, redb, fresh) : merge(kube, secretRef(redb), { password: fresh }));
  return fresh;
}

/** False when it was there. */
async function isMade(kube: Kube, redb: Redb, password: string): Promise<boolean> {
  try {
    await make(kube, redb, password);
    return true;
  } catch (error) {
    if (isFault(error, faults.alreadyExists)) return false;
    throw error;
  }
}

async function make(kube: Kube, redb: Redb, password: string): Promise<void> {
  const labels = { [LABELS.app]: APP_LABEL, [LABELS.database]: redb.metadata.name };
  await kube.create(Secrets, {
    metadata: { ...secretRef(redb), labels, ownerReferences: [ownerReference(redb)] },
    type: "Opaque",
    data: { password: encoded(password) },
  });
}

/** A change of the Secret of a database by another writer is corrected within this time, in milliseconds. */
const RECHECK_MS = 30 * 60_000;

/**
 * Tells clients where a database is: keys `port` and `service_names` of its Secret, which has been made before. Asks nothing
 * while the status says that it was told before, but for a look now and then.
 */
export function addressReconciler(kube: Kube, clock: Clock): (redb: Redb, port: number) => Promise<void> {
  const looked = new Map<string, number>();
  return async (redb, port) => {
    const now = clock.now().getTime();
    const at = looked.get(redb.metadata.uid) ?? now;
    looked.set(redb.metadata.uid, at);
    const wanted = { port: String(port), service_names: redb.metadata.name };
    if (isReported(redb, port) && now - at < RECHECK_MS) return;
    if (!isReported(redb, port) || !(await says(kube, redb, wanted))) {
      await unlessGone(merge(kube, secretRef(redb), wanted));
    }
    looked.set(redb.metadata.uid, now);
  };
}

/** The status names the port only after the Secret does. */
function isReported(redb: Redb, port: number): boolean {
  const { internalEndpoints, databaseSecretName } = redb.status ?? {};
  return internalEndpoints?.[0]?.port === port && databaseSecretName === secretNameOf(redb);
}

async function says(kube: Kube, redb: Redb, wanted: Texts): Promise<boolean> {
  const found = await kube.get(Secrets, secretRef(redb));
  return found === undefined || Object.entries(wanted).every(([key, text]) => textOf(found, key) === text);
}

/** Who deletes the Secret of a database does not get half a one back. */
async function unlessGone(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isFault(error, faults.notFound)) throw error;
  }
}

type Texts = Readonly<Record<string, string>>;

async function merge(kube: Kube, ref: Ref, texts: Texts): Promise<void> {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encoded(text)]));
  await kube.patch(Secrets, ref, { type: "merge", body: { data } });
}

function secretRef(redb: Redb): Required<Ref> {
  return { name: secretNameOf(redb), namespace: redb.metadata.namespace ?? "default" };
}
