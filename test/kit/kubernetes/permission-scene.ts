import type { Role } from "kubernetes-types/rbac/v1.js";
import { customResourceDefinitions } from "../../../src/core/api/crd.ts";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { CustomResourceDefinitions, Namespaces, RoleBindings, Roles, ServiceAccounts } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import type { KubeConfig } from "#kit/kube/kubeconfig";
import type { Kube, Wanted } from "#kit/kube/kube";
import type { MissingPermission, Need, PolicyRule } from "../../../src/core/releases/permissions/roles.ts";
import { until } from "#kit/testing/until";

/** An API server with a real authorizer, as its administrator sees it. */
export interface GuardedApi {
  readonly kube: Kube;
  readonly config: KubeConfig;
}

/** Installs our definitions and waits until they are served. */
export async function defineKinds({ kube }: GuardedApi): Promise<void> {
  for (const { metadata, ...definition } of customResourceDefinitions()) {
    await kube.apply(CustomResourceDefinitions, { metadata, ...structuredClone(definition) } as never, {
      fieldManager: "test",
    });
    const isServed = async (): Promise<boolean> => {
      const stored = await kube.get(CustomResourceDefinitions, { name: metadata.name });
      return (stored?.status?.conditions ?? []).some(({ type, status }) => type === "Established" && status === "True");
    };
    await until(`${metadata.name} is established`, isServed, { withinMs: 20_000, everyMs: 20 });
  }
}

/** A namespace with accounts that each have a Role of their own name; the way to the API of the first account. */
export async function openNamespace(
  { kube, config }: GuardedApi,
  namespace: string,
  accounts: Readonly<Record<string, readonly PolicyRule[]>>,
): Promise<Kube & { close(): Promise<void> }> {
  await kube.create(Namespaces, { metadata: { name: namespace } });
  for (const [name, rules] of Object.entries(accounts)) {
    await kube.create(ServiceAccounts, { metadata: { name, namespace } });
    await kube.create(Roles, roleOf(namespace, name, rules));
    await kube.create(RoleBindings, {
      metadata: { name, namespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    });
  }
  return connectAs({ kube, config }, namespace, Object.keys(accounts)[0] ?? OPERATOR_NAME);
}

/** The way to the API of a service account. */
export async function connectAs(
  { kube, config }: GuardedApi,
  namespace: string,
  account: string,
): Promise<Kube & { close(): Promise<void> }> {
  const token = await tokenOf(kube, namespace, account);
  const { clientCertificate: _, ...anonymous } = config;
  return connect({ ...anonymous, token: () => token, namespace });
}

/** Replaces the rules of the Role `name`. */
export async function writeRole(
  { kube }: GuardedApi,
  namespace: string,
  name: string,
  rules: readonly PolicyRule[],
): Promise<void> {
  const body = { rules: roleOf(namespace, name, rules).rules };
  await kube.patch(Roles, { name, namespace }, { type: "merge", body });
}

/** The rules without what `need` asks for, on the one object that it names. */
export function rulesWithout(rules: readonly PolicyRule[], need: Need): readonly PolicyRule[] {
  return rules.flatMap((rule) => {
    const concerns =
      rule.apiGroups.includes(need.group) &&
      rule.resources.includes(need.resource) &&
      rule.verbs.includes(need.verb) &&
      (need.name === undefined || rule.resourceNames?.includes(need.name) === true);
    if (!concerns) return [rule];
    const others = (rule.resourceNames ?? []).filter((name) => name !== need.name);
    const verbs = rule.verbs.filter((verb) => verb !== need.verb);
    return [
      ...(verbs.length === 0 ? [] : [{ ...rule, verbs }]),
      ...(others.length === 0 ? [] : [{ ...rule, verbs: [need.verb], resourceNames: others }]),
    ];
  });
}

/** A need as one line, for the name of a test and for comparison. */
export function lineOf({ who, verb, group, resource, name }: Need | MissingPermission): string {
  return `${who} ${verb} ${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` "${name}"`}`;
}

/** A Role with these rules. */
export function roleOf(
  namespace: string,
  name: string,
  rules: readonly PolicyRule[],
): Wanted<Role> & Required<Pick<Role, "rules">> {
  return {
    metadata: { name, namespace },
    rules: rules.map(({ apiGroups, resources, resourceNames, verbs }) => ({
      apiGroups: [...apiGroups],
      resources: [...resources],
      verbs: [...verbs],
      ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
    })),
  };
}

/** A token of the service account `name`. */
export async function tokenOf(kube: Kube, namespace: string, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const answer: { status: { token: string } } = JSON.parse(await kube.raw("POST", path, request));
  return answer.status.token;
}
