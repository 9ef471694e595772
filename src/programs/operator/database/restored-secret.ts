import { APP_LABEL, clusterNames, LABELS } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { readOwn } from "../secrets/own.ts";
import { secretText } from "../secrets/secret-text.ts";
import { createOwn } from "../secrets/write.ts";
import type { Redb } from "./cluster.ts";
import type { DatabaseObjects } from "./evaluation.ts";
import { secretRef } from "./secret-verdict.ts";

/**
 * Makes the Secret of a database again that the product made and that is gone, with the password that the cluster has, and the
 * address. False when the cluster has no password. A Secret that a user named is the user's.
 */
export async function restoreSecret(
  kube: Kube,
  cluster: string,
  redb: Redb,
  bdb: BdbRecord,
  certificate: DatabaseObjects["certificate"],
): Promise<boolean> {
  const { name, namespace = "default" } = redb.metadata;
  const held = await readOwn(kube, cluster, { name: clusterNames.databaseSecret(cluster, bdb.uid), namespace });
  const password = secretText(held, "password");
  if (password === "") return false;
  const address = { port: String(bdb.port), service_names: name };
  const { authority } = await certificate(bdb);
  const trusted = authority === "" ? {} : { "ca.crt": authority };
  try {
    const labels = { [LABELS.app]: APP_LABEL, [LABELS.database]: name };
    const metadata = { ...secretRef(redb), labels, ownerReferences: [ownerReference(redb)] };
    await createOwn(kube, metadata, { password, ...address, ...trusted });
  } catch (error) {
    if (!isFault(error, faults.alreadyExists)) throw error; // the cache did not know it yet
  }
  return true;
}
