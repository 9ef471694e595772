import {
  applyBundle,
  callApi,
  deleteWebhooks,
  getObjects,
  installLicense,
  patchCluster,
  patchDatabaseVersion,
  patchLicense,
  patchRole,
  restartDeployment,
  restoreRecord,
  trustCertificateFirst,
  uncordon,
  uploadModule,
  writeLicenseSecret,
} from "../../api/kubectl.ts";
import { ADMISSION_SECRET, OPERATOR_NAME } from "../../api/names.ts";
import { assertNever } from "#kit/base/assert-never";
import type { RecoveryAct } from "./recovery.ts";

/** An act as the command or the call that does the same; never with a licence in it. `cluster`: name of the cluster. */
export function commandOf(act: RecoveryAct, cluster: string): string {
  switch (act.kind) {
    case "patch-cluster":
      return patchCluster(cluster, act.spec);
    case "patch-database":
      return patchDatabaseVersion(act.name, act.storeVersion);
    case "upgrade-database":
      return callApi(cluster, "POST", `/v1/bdbs/${act.uid}/upgrade`, {
        body: { store_version: act.to },
        comment: `${act.name}, until it is there`,
      });
    case "upload-module":
      return uploadModule(cluster, act.file, `${act.title}, until every node has it`);
    case "install-license":
      return installLicense(cluster, act.file);
    case "write-license":
      return act.secret === undefined ? patchLicense(cluster, act.file) : writeLicenseSecret(act.secret, act.file);
    case "end-maintenance":
      return callApi(cluster, "POST", `/v1/nodes/${act.uid}/actions/maintenance_off`);
    case "patch-role":
      return patchRole(act.role, act.namespace, act.operations);
    case "apply-bundle":
      return applyBundle("", `of ${act.release}${act.kinds.length === 0 ? "" : `: ${act.kinds.join(", ")}`}`);
    case "delete-webhook":
      return deleteWebhooks(act.name);
    case "renew-webhook":
      return trustCertificateFirst(act.name, ADMISSION_SECRET);
    case "restart-operator":
      return restartDeployment(OPERATOR_NAME);
    case "uncordon":
      return uncordon(act.worker);
    case "restore-record":
      return restoreRecord(cluster, act.uid);
    case "await-recovery":
      return `${getObjects(`rec ${cluster}`)} -w  # until the operator has set spec.clusterRecovery to false`;
    default:
      return assertNever(act);
  }
}
