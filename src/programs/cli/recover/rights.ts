import { ADMISSION_SECRET, OPERATOR_NAME } from "../../../core/api/names.ts";
import { assertNever } from "#kit/base/assert-never";
import type { Recovery, RecoveryAct } from "../../../core/planner/recovery/recovery.ts";
import type { Access } from "../../../core/releases/permissions/person-grants.ts";
import { bundleLikeInstalled } from "../access/installed-operator.ts";
import { ownRight } from "../access/look-rights.ts";
import { missingForManifest } from "../access/manifest-rights.ts";
import { missingRights, refuseMissing } from "../access/rights.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";

/** CLI_PERMISSIONS_MISSING, before the first act, with all that the caller lacks for the acts of these recoveries. */
export async function requireActs(
  access: NamespaceAccess,
  cluster: string,
  recoveries: readonly Recovery[],
): Promise<void> {
  const acts = recoveries.flatMap((one) => one.acts);
  const wanted = acts.flatMap((act) => rightsOf(act, cluster, access.namespace));
  const bundles = acts.flatMap((act) => (act.kind === "apply-bundle" ? [act] : []));
  const missing = await Promise.all([
    missingRights(access.kube, wanted),
    ...bundles.map(async ({ release, kinds }) =>
      missingForManifest(access, await bundleLikeInstalled(access, release, kinds)),
    ),
  ]);
  await refuseMissing(access, missing.flat(), cluster);
}

/** What an act takes beside the login of the cluster; the objects of a bundle are asked one by one. */
function rightsOf(act: RecoveryAct, cluster: string, namespace: string): readonly Access[] {
  switch (act.kind) {
    case "patch-cluster":
      return [ownRight("patch", "cluster", cluster, namespace)];
    case "patch-database":
      return [ownRight("patch", "database", act.name, namespace)];
    case "write-license":
      return act.secret === undefined
        ? [ownRight("patch", "cluster", cluster, namespace)]
        : [{ verb: "patch", group: "", resource: "secrets", name: act.secret, namespace }];
    case "patch-role":
      return [{ verb: "patch", ...ROLES, name: act.role, namespace: act.namespace }];
    case "delete-webhook":
      return [{ verb: "delete", ...WEBHOOKS, name: act.name }];
    case "renew-webhook":
      return [
        { verb: "get", group: "", resource: "secrets", name: ADMISSION_SECRET, namespace },
        { verb: "get", ...WEBHOOKS, name: act.name },
        { verb: "patch", ...WEBHOOKS, name: act.name },
      ];
    case "restart-operator":
      return [{ verb: "patch", group: "apps", resource: "deployments", name: OPERATOR_NAME, namespace }];
    case "uncordon":
      return [{ verb: "patch", group: "", resource: "nodes", name: act.worker }];
    case "await-recovery":
      return [ownRight("get", "cluster", cluster, namespace)];
    case "upgrade-database":
    case "upload-module":
    case "install-license":
    case "end-maintenance":
    case "restore-record":
    case "apply-bundle":
      return [];
    default:
      return assertNever(act);
  }
}

const ROLES = { group: "rbac.authorization.k8s.io", resource: "roles" } as const;
const WEBHOOKS = { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" } as const;
