import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { ServiceAccount } from "kubernetes-types/core/v1.js";
import type { Role, RoleBinding } from "kubernetes-types/rbac/v1.js";
import { APP_LABEL, LABELS, TEARDOWN_FINALIZER, TEARDOWN_NAME } from "../../../core/api/names.ts";
import { Deployments, RoleBindings, Roles, ServiceAccounts } from "#kit/kube/builtin";
import type { Kube, Ref, Stored, Wanted } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";
import { TEARDOWN_RULES } from "../../../core/releases/permissions/roles.ts";

const MANAGER = { fieldManager: TEARDOWN_NAME, force: true } as const;

/** The service account gets the finalizer first: without the account the operator could not remove any. */
export async function addTeardownFinalizer(kube: Kube, own: Required<Ref>): Promise<void> {
  const metadata = { ...own, finalizers: [TEARDOWN_FINALIZER] };
  const account: Wanted<ServiceAccount> = { metadata };
  const deployment: Wanted<Deployment> = { metadata };
  await grantTeardownRole(kube, await kube.apply(ServiceAccounts, account, MANAGER));
  await kube.apply(Deployments, deployment, MANAGER);
}

/** The service account loses the finalizer last, see `addTeardownFinalizer`. */
export async function removeTeardownFinalizer(kube: Kube, own: Required<Ref>): Promise<void> {
  const metadata = { ...own, finalizers: [] };
  const account: Wanted<ServiceAccount> = { metadata };
  const deployment: Wanted<Deployment> = { metadata };
  await kube.apply(Deployments, deployment, MANAGER);
  await kube.apply(ServiceAccounts, account, MANAGER);
}

/** Whether it carries the finalizer. */
export function isHeld({ metadata }: Stored<object>): boolean {
  return (metadata.finalizers ?? []).includes(TEARDOWN_FINALIZER);
}

export function isDeleted({ metadata }: Stored<object>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** A Role beside that of the bundle, which is deleted with the bundle; this one goes with the account. */
async function grantTeardownRole(kube: Kube, account: Stored<ServiceAccount>): Promise<void> {
  const { namespace = "default" } = account.metadata;
  const metadata = {
    name: TEARDOWN_NAME,
    namespace,
    labels: { [LABELS.app]: APP_LABEL },
    ownerReferences: [ownerReference(account)],
  };
  const rules = TEARDOWN_RULES.map(({ apiGroups, resources, verbs }) => ({
    apiGroups: [...apiGroups],
    resources: [...resources],
    verbs: [...verbs],
  }));
  const role: Wanted<Role> = { metadata, rules };
  const binding: Wanted<RoleBinding> = {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: TEARDOWN_NAME },
    subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace }],
  };
  await kube.apply(Roles, role, MANAGER);
  await kube.apply(RoleBindings, binding, MANAGER);
}
