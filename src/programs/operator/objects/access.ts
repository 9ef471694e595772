import type { ServiceAccount } from "kubernetes-types/core/v1.js";
import type { Role, RoleBinding } from "kubernetes-types/rbac/v1.js";
import { RoleBindings, Roles, ServiceAccounts } from "#kit/kube/builtin";
import type { Wanted } from "#kit/kube/kube";
import type { OwnedObject } from "#kit/reconcile/object-applier";
import type { PolicyRule } from "../../../core/releases/permissions/roles.ts";
import { ownedMeta, type Owner } from "./meta.ts";

/** A service account named `name` with what `rules` allow; the account itself only when `makeAccount`. */
export function access(
  owner: Owner,
  name: string,
  rules: readonly PolicyRule[],
  account: ProgramAccount,
): readonly OwnedObject[] {
  const role: Wanted<Role> = {
    metadata: ownedMeta(owner, name),
    rules: rules.map((rule) => ({
      apiGroups: [...rule.apiGroups],
      resources: [...rule.resources],
      ...(rule.resourceNames === undefined ? {} : { resourceNames: [...rule.resourceNames] }),
      verbs: [...rule.verbs],
    })),
  };
  const binding: Wanted<RoleBinding> = {
    metadata: ownedMeta(owner, name),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [...new Set([account.name, ...account.former])].map((subject) => {
      return { kind: "ServiceAccount", name: subject, namespace: owner.namespace };
    }),
  };
  const identity: Wanted<ServiceAccount> = { metadata: ownedMeta(owner, account.name) };
  return [
    ...(account.isMade ? [{ type: ServiceAccounts, object: identity }] : []),
    { type: Roles, object: role },
    { type: RoleBindings, object: binding },
  ];
}

/** The service account of a program. */
export interface ProgramAccount {
  readonly name: string;
  /** The operator makes it. */
  readonly isMade: boolean;
  /** Accounts as which pods of the program still run: they keep the rights until none does. */
  readonly former: readonly string[];
}
