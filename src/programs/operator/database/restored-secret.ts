import { APP_LABEL, clusterNames, LABELS } from "../../../core/api/names.ts";
import { isFault } from "../../../core/base/fault.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import { faults } from "../../../ports/kube/faults.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { ownerReference } from "../../../ports/kube/ref.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { encodedAll, textOf } from "../objects/secret-text.ts";
import type { Redb } from "./cluster.ts";
import type { DatabaseObjects } from "./evaluation.ts";
import { secretNameOf } from "./secret.ts";

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
  const held = await kube.get(Secrets, { name: clusterNames.databaseSecret(cluster, bdb.uid), namespace });
  const password = textOf(held, "password");
  if (password === "") return false;
  const address = { port: String(bdb.port), service_names: name };
  const { authority } = await certificate(bdb);
  const trusted = authority === "" ? {} : { "ca.crt": authority };
  try {
    await kube.create(Secrets, {
      metadata: {
        ...{ name: secretNameOf(redb), namespace },
        labels: { [LABELS.app]: APP_LABEL, [LABELS.database]: name },
        ownerReferences: [ownerReference(redb)],
      },
      type: "Opaque",
      data: encodedAll({ password, ...address, ...trusted }),
    });
  } catch (error) {
    if (!isFault(error, faults.alreadyExists)) throw error; // the cache did not know it yet
  }
  return true;
}
