import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { OPERATOR_NAME } from "../../src/core/api/names.ts";
import { CustomResourceDefinitions, RoleBindings, Roles, ServiceAccounts } from "#kit/kube/builtin";
import { isTrue } from "#kit/kube/conditions";
import type { Kube, ResourceType, Wanted } from "#kit/kube/kube";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { until } from "#kit/testing/until";
import type { ControlPlane } from "../../test/kubernetes/control-plane/control-plane.ts";

export const NAMESPACE = "default";
export const CLUSTER = "rec";

/** A user of the API server. */
export interface Account {
  /** As the audit log names it. */
  readonly user: string;
  readonly kubeconfig: string;
}

const BUNDLE = join(import.meta.dirname, "..", "..", "deploy", "bundle.yaml");
const INSTALLED: readonly ResourceType[] = [CustomResourceDefinitions, Roles, RoleBindings, ServiceAccounts];

/** Installs the bundle without its Deployment, and makes an account with the operator's permissions beside the operator's. */
export async function install(plane: ControlPlane): Promise<{ readonly operator: Account; readonly floor: Account }> {
  const { kube } = plane;
  for (const document of parseAllDocuments(readFileSync(BUNDLE, "utf8"))) {
    const object: Wanted<object> & { readonly kind: string } = document.toJS();
    const type = INSTALLED.find(({ kind }) => kind === object.kind);
    if (type === undefined) continue;
    const where = type.namespaced ? { namespace: NAMESPACE } : {};
    await kube.create(type, { ...object, metadata: { ...object.metadata, ...where } });
  }
  const name = "floor";
  await kube.create(ServiceAccounts, { metadata: { name, namespace: NAMESPACE } });
  await kube.create(RoleBindings, {
    metadata: { name, namespace: NAMESPACE },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: OPERATOR_NAME },
    subjects: [{ kind: "ServiceAccount", name, namespace: NAMESPACE }],
  });
  await until("our kinds are served", () => isServed(kube), { withinMs: 30_000, everyMs: 100 });
  return { operator: await accountOf(plane, OPERATOR_NAME), floor: await accountOf(plane, name) };
}

async function isServed(kube: Kube): Promise<boolean> {
  const { items } = await kube.list(CustomResourceDefinitions);
  if (!items.every(({ status }) => isTrue(status?.conditions, "Established"))) return false;
  return kube.list(Clusters, { namespace: NAMESPACE }).then(
    () => true,
    () => false, // established, and not served yet
  );
}

async function accountOf(plane: ControlPlane, name: string): Promise<Account> {
  const kubeconfig = await plane.kubeconfigOfServiceAccount({ name, namespace: NAMESPACE });
  return { user: `system:serviceaccount:${NAMESPACE}:${name}`, kubeconfig };
}
