import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { isFault, messageOf } from "#kit/base/fault";
import { warn } from "../../../core/planner/findings/finding.ts";
import type { FindingId } from "../../../core/planner/findings/ids.ts";
import { faults } from "#kit/kube/faults";
import type { Redb } from "./cluster.ts";
import type { AddressReconciler } from "./secret-address.ts";
import { secretNameOf } from "./secret-verdict.ts";

/** The result of writing the address of a database into its Secret. */
export interface PublishedAddress {
  readonly passwordFrom: DatabaseStatus["passwordFrom"];
  /** Present when the Secret takes no change: its password counts all the same. */
  readonly warning?: Finding;
}

const ID = "AddressNotWritten" satisfies FindingId;

/** Writes the address where it can be written. A Secret that takes no change, as an immutable one, keeps nothing else from being done. */
export async function publishAddress(
  keepAddress: AddressReconciler,
  redb: Redb,
  address: Parameters<AddressReconciler>[1],
  given: DatabaseStatus["passwordFrom"],
): Promise<PublishedAddress> {
  try {
    const wasRefused = (redb.status?.findings ?? []).some(({ id }) => id === ID);
    return { passwordFrom: await keepAddress(redb, { ...address, wasRefused }, given) };
  } catch (error) {
    if (!isFault(error, faults.invalid) && !isFault(error, faults.forbidden)) throw error;
    return { passwordFrom: given, warning: notWritten(redb, messageOf(error)) };
  }
}

function notWritten(redb: Redb, why: string): Finding {
  const secret = secretNameOf(redb);
  const evidence = `the Secret ${secret} is used for its password, and port, service_names and ca.crt could not be written into it: ${why}`;
  const remedy = `name a Secret that can be changed: ${editObject(`redb ${redb.metadata.name}`)}`;
  return warn(ID, evidence, remedy);
}
