import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { deploymentLog, editObject } from "../../../core/api/kubectl.ts";
import { clusterNames, LABELS } from "../../../core/api/names.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import { isFault, messageOf } from "#kit/base/fault";
import { wait, warn } from "../../../core/planner/findings/finding.ts";
import type { FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";
import { faults } from "#kit/kube/faults";
import type { Informer } from "#kit/kube/informer";
import type { Ref } from "#kit/kube/kube";
import type { BdbRecord } from "../../../ports/management/records.ts";
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

/** By then the rigger has made the Service of a database that serves, in milliseconds. */
export const SERVICE_MS = 10_000;

/** Whether the database `ref` of `cluster` has a Service of its own. */
export function hasService(services: Informer<object>, ref: Ref, cluster: string): boolean {
  const { labels = {} } = services.get(ref)?.metadata ?? {};
  return labels[LABELS.cluster] === cluster && labels[LABELS.database] === ref.name;
}

/** Clients do not find a database that serves: it has had no Service for longer than it takes to make one. */
export function missingService(
  bdb: Pick<BdbRecord, "name"> | undefined,
  facts: Pick<DatabaseStatus, "cluster" | "conditions"> & { readonly hasService: boolean },
  now: Date,
): readonly Finding[] {
  const { cluster = "<rec>", conditions } = facts;
  if (bdb === undefined || facts.hasService || !hasServed(conditions, now)) return [];
  const evidence =
    `"${bdb.name}" serves, and has no Service of its name: the API server refuses it, as a quota or an admission policy does, ` +
    "or another object has the name, or the services rigger does not run";
  const remedy = `mend what the log of the services rigger names: ${deploymentLog(clusterNames.rigger(cluster))}`;
  return [wait("ServiceMissing", evidence, remedy)];
}

function hasServed(conditions: readonly Condition[] = [], now: Date): boolean {
  const available = conditions.find(({ type }) => type === "Available");
  return available?.status === "True" && now.getTime() - Date.parse(available.lastTransitionTime) >= SERVICE_MS;
}
