import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../base/clock.ts";
import { APP_LABEL, LABELS } from "../../api/names.ts";
import type { StoreEnterpriseDatabase } from "../../api/kinds.ts";
import { Secrets } from "../../kube/builtin.ts";
import type { Kube, Stored } from "../../kube/kube.ts";
import { ownerReference } from "../../kube/ref.ts";
import { encoded, textOf } from "../objects/secrets.ts";

type Redb = Stored<StoreEnterpriseDatabase>;

/** Name of the secret with which clients reach a database. */
export function secretNameOf({ metadata, spec }: Redb): string {
  return spec.databaseSecretName ?? `redb-${metadata.name}`;
}

/** The database's password; the secret is made, with a random one, when it is not there or has none. */
export async function keepPassword(kube: Kube, redb: Redb): Promise<string> {
  const ref = { name: secretNameOf(redb), namespace: redb.metadata.namespace ?? "default" };
  const found = await kube.get(Secrets, ref);
  const known = textOf(found, "password");
  if (known !== "") return known;
  const password = randomBytes(24).toString("base64url");
  if (found !== undefined) await merge(kube, found, { password });
  else {
    await kube.create(Secrets, {
      metadata: {
        ...ref,
        labels: { [LABELS.app]: APP_LABEL, [LABELS.database]: redb.metadata.name },
        ownerReferences: [ownerReference(redb)],
      },
      type: "Opaque",
      data: { password: encoded(password) },
    });
  }
  return password;
}

/** What somebody else changed in the Secret of a database is put right within this time, in milliseconds. */
const RECHECK_MS = 30 * 60_000;

/**
 * Tells clients where a database is: keys `port` and `service_names` of its Secret. Asks nothing while the status says
 * that it was told before, but for a look now and then.
 */
export function addressKeeper(kube: Kube, clock: Clock): (redb: Redb, port: number) => Promise<void> {
  const looked = new Map<string, number>();
  return async (redb, port) => {
    const now = clock.now().getTime();
    const at = looked.get(redb.metadata.uid) ?? now;
    looked.set(redb.metadata.uid, at);
    if (isTold(redb, port) && now - at < RECHECK_MS) return;
    await keepAddress(kube, redb, port);
    looked.set(redb.metadata.uid, now);
  };
}

/** The status names the port only after the Secret does. */
function isTold(redb: Redb, port: number): boolean {
  const { internalEndpoints, databaseSecretName } = redb.status ?? {};
  return internalEndpoints?.[0]?.port === port && databaseSecretName === secretNameOf(redb);
}

async function keepAddress(kube: Kube, redb: Redb, port: number): Promise<void> {
  const ref = { name: secretNameOf(redb), namespace: redb.metadata.namespace ?? "default" };
  const found = await kube.get(Secrets, ref);
  const wanted = { port: String(port), service_names: redb.metadata.name };
  if (found === undefined || Object.entries(wanted).every(([key, text]) => textOf(found, key) === text)) return;
  await merge(kube, found, wanted);
}

async function merge(kube: Kube, secret: Stored<Secret>, texts: Readonly<Record<string, string>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encoded(text)]));
  const { name, namespace = "default" } = secret.metadata;
  await kube.patch(Secrets, { name, namespace }, { type: "merge", body: { data } });
}
