import { isFault, messageOf } from "#kit/base/fault";
import { placeholder } from "#kit/base/shell-word";
import { faults } from "../../../ports/management/faults.ts";
import { faults as operatorFaults } from "../faults.ts";
import { whyUnreachable } from "../../../mechanisms/observe/management/unreachable.ts";
import { block, wait, type FindingOf } from "../../../core/planner/findings/finding.ts";
import { deleteObjects, editObject, getObjects, mergeObject } from "../../../core/api/kubectl.ts";
import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";

/** Why the cluster did not do what it was asked for. */
export type DatabaseFailure = FindingOf<
  | "RefusedByCluster"
  | "CallFailed"
  | "SpecInvalid"
  | "NameTaken"
  | "DatabaseSecretMissing"
  | "CertificateInvalid"
  | "SecretNotMarked"
  | "RecordMissing"
>;

/** What a user can change in the object about a refusal of the management API, by its `error_code`. */
const CHANGE: Readonly<Record<string, string>> = {
  port_unavailable: "choose another spec.databasePort, or leave it out",
  insufficient_resources: `delete a database (${getObjects("redb")}), or ask for less in spec.memorySize or spec.replication, or for another spec.shardCount`,
  invalid_replication: `bring the missing nodes back (${getObjects("pods")}), or set spec.replication to false`,
  tls_not_offered: "upgrade every node of the cluster, or set spec.tls to disabled",
  engine_without_tls: "use images whose engines are built with TLS, or set spec.tls to disabled",
};

/** What ends a refusal that the object has no part in. */
const WAY_OUT: Readonly<Record<string, string>> = {
  missing_module: "upload the module: storectl modules upload <file>.zip; the operator tries again",
  license_expired: `name a valid licence in spec.licenseSecretName of the cluster: ${editObject("rec")}`,
  data_set_aside:
    "put the record of the database back, or remove the data for ever: the finding DataSetAside of the cluster has the lines",
  unauthorized: "compare the Secret named as the cluster with the credentials that the cluster knows",
};

/**
 * The failure that `error` stands for, of `object` as kubectl names it (`redb orders`); undefined when it is none that a call to the
 * cluster is known to end with.
 */
export function failureOf(error: unknown, object: string): DatabaseFailure | undefined {
  const edit = editObject(object);
  if (isFault(error, operatorFaults.secretOfAnother))
    return block("SpecInvalid", `spec.databaseSecretName: ${messageOf(error)}`, edit);
  if (isFault(error, operatorFaults.secretNotGiven))
    return block("SecretNotMarked", `spec.databaseSecretName: ${messageOf(error)}`, String(error.details["remedy"]));
  if (!Object.values(faults).some((fault) => isFault(error, fault))) return undefined;
  const isBusy = isFault(error, faults.conflict) && error.details["error_code"] === "busy";
  if (isBusy || !(isFault(error, faults.refused) || isFault(error, faults.conflict)))
    return callFailed(whyUnreachable(error));
  const { description, error_code } = error.details;
  const said = typeof description === "string" ? description : messageOf(error);
  const code = String(error_code);
  const remedy = WAY_OUT[code] ?? `${CHANGE[code] ?? "change what the message names"}: ${edit}`;
  return block("RefusedByCluster", said, remedy);
}

/** The Secret of a database that exists holds no password to give to the cluster. */
export function noPassword(secret: string, { spec }: Pick<StoreEnterpriseDatabase, "spec">): DatabaseFailure {
  const evidence = `secret ${secret} has no key password, or it is empty; the database keeps the password that it has`;
  const write = mergeObject("secret", secret, { stringData: { password: placeholder("<password>") } });
  // one that the operator makes is made again with what the database has
  const restore = `have the present one back: ${deleteObjects("secret", [secret])}; or `;
  const remedy = `${spec.databaseSecretName === undefined ? restore : ""}write the key: ${write}`;
  return block("DatabaseSecretMissing", evidence, remedy);
}

/** The Secret of the certificate has changed since it was looked at. */
export function noCertificate(evidence: string, redb: string): DatabaseFailure {
  return block("CertificateInvalid", evidence, `correct the Secret, or name another: ${editObject(`redb ${redb}`)}`);
}

/** A call that did not reach the cluster; `evidence` says why. */
export function callFailed(evidence: string): DatabaseFailure {
  return wait("CallFailed", evidence, `wait for the nodes of the cluster: ${getObjects("pods")}`);
}
