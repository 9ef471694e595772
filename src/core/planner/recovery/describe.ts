import { ADMISSION_SECRET, OPERATOR_NAME } from "../../api/names.ts";
import { LICENSE_KEY } from "../../api/license.ts";
import { assertNever } from "../../base/assert-never.ts";
import type { RecoveryAct } from "./recovery.ts";

/** An act as the command or the call that does the same; never with a licence in it. `cluster`: name of the cluster. */
export function commandOf(act: RecoveryAct, cluster: string): string {
  switch (act.kind) {
    case "patch-cluster":
      return `kubectl patch rec ${cluster} --type merge -p '${JSON.stringify({ spec: act.spec })}'`;
    case "patch-database":
      return `kubectl patch redb ${act.name} --type merge -p '{"spec":{"storeVersion":"${act.storeVersion}"}}'`;
    case "upgrade-database":
      return `POST /v1/bdbs/${act.uid}/upgrade {"store_version":"${act.to}"}  # ${act.name}, until it is there`;
    case "upload-module":
      return `POST /v2/modules module=@${act.file}  # ${act.title}, until every node has it`;
    case "install-license":
      return "PUT /v1/license  # the licence that is given";
    case "write-license":
      return act.secret === undefined
        ? `kubectl edit rec ${cluster}  # spec.license: the same`
        : `kubectl edit secret ${act.secret}  # key ${LICENSE_KEY}: the same`;
    case "end-maintenance":
      return `POST /v1/nodes/${act.uid}/actions/maintenance_off`;
    case "patch-role":
      return `kubectl patch role ${act.role} -n ${act.namespace} --type json -p '${JSON.stringify(act.operations)}'`;
    case "apply-bundle":
      return `kubectl apply -f bundle.yaml  # of ${act.release}${act.kinds.length === 0 ? "" : `: ${act.kinds.join(", ")}`}`;
    case "delete-webhook":
      return `kubectl delete ValidatingWebhookConfiguration ${act.name}`;
    case "renew-webhook":
      return `kubectl patch ValidatingWebhookConfiguration ${act.name}  # caBundle: cert of secret ${ADMISSION_SECRET}`;
    case "restart-operator":
      return `kubectl rollout restart deployment/${OPERATOR_NAME}`;
    case "uncordon":
      return `kubectl uncordon ${act.worker}`;
    default:
      return assertNever(act);
  }
}
