import { APP_LABEL, clusterNames, OPERATOR_NAME } from "../../api/names.ts";
import { PERSON_RIGHTS, type PersonRight, type PersonRole } from "./people.ts";
import { POLICY_VERBS } from "./permission.ts";
import type { PolicyRule } from "./roles.ts";

/** The clusters whose Secrets a Role names, and other Secrets with the login of one (`spec.clusterCredentialSecretName`). */
export interface Logins {
  readonly clusters: readonly string[];
  readonly secrets: readonly string[];
}

/** Who gets a Role. */
export interface Person {
  readonly kind: "User" | "Group" | "ServiceAccount";
  readonly name: string;
  /** Of a ServiceAccount. */
  readonly namespace?: string;
}

/**
 * The objects that give people a Role, for the namespace in which they are applied: a Role, a ClusterRole for what belongs to no namespace,
 * and the binding of each person.
 */
export function personRoleObjects(
  role: PersonRole,
  logins: Logins,
  people: readonly Person[] = [],
): readonly PersonRoleObject[] {
  const name = roleName(role, logins);
  const roles = ([false, true] as const).flatMap((isClusterWide) => {
    const rules = rulesOf(role, logins, isClusterWide);
    const kind = isClusterWide ? "ClusterRole" : "Role";
    return rules.length === 0 ? [] : [{ apiVersion: RBAC, kind, metadata: metadataOf(name), rules }];
  });
  const bindings = roles.flatMap(({ kind }) =>
    people.map((person) => ({
      apiVersion: RBAC,
      kind: `${kind}Binding`,
      metadata: metadataOf(`${name}:${segment(person)}`),
      roleRef: { apiGroup: RBAC_GROUP, kind, name },
      subjects: [person.kind === "ServiceAccount" ? person : { apiGroup: RBAC_GROUP, ...person }],
    })),
  );
  return [...roles, ...bindings];
}

export interface PersonRoleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: object };
  readonly [part: string]: unknown;
}

const RBAC_GROUP = "rbac.authorization.k8s.io";
const RBAC = `${RBAC_GROUP}/v1`;

/** Name of a ready Role; one that names Secrets is another for each cluster. */
function roleName(role: PersonRole, { clusters }: Logins): string {
  return [PREFIX, role, ...(namesSecrets(role) ? clusters : [])].join("-");
}

const PREFIX = OPERATOR_NAME.replace(/-operator$/, "");

/** Whether a Role names Secrets of clusters. */
export function namesSecrets(role: PersonRole): boolean {
  return PERSON_RIGHTS.some(({ roles, only }) => only === "loginSecrets" && roles.includes(role));
}

/** A name of any characters as part of the name of an object; different ones stay different. */
function segment({ kind, namespace, name }: Person): string {
  const parts = [kind, ...(namespace === undefined ? [] : [namespace]), name];
  return parts.map((part) => encodeURIComponent(part).replaceAll("%", "=")).join(":");
}

function metadataOf(name: string) {
  return { name, labels: { app: APP_LABEL } };
}

/** The rules of a Role, or of its ClusterRole. */
function rulesOf(role: PersonRole, logins: Logins, isClusterWide: boolean): readonly PolicyRule[] {
  return PERSON_RIGHTS.filter((right) => right.roles.includes(role) && (right.isClusterWide === true) === isClusterWide)
    .map((right) => ({ right, names: namesOf(right, logins) }))
    .filter(({ right, names }) => right.only === undefined || names.length > 0)
    .map(({ right: { group, resource, verbs }, names }) => ({
      apiGroups: [group],
      resources: [resource],
      ...(names.length > 0 && { resourceNames: names }),
      verbs: POLICY_VERBS.filter((verb) => verbs.includes(verb)),
    }));
}

/** The names that a right is limited to; none when it is not. */
export function namesOf({ only = [] }: PersonRight, { clusters, secrets }: Logins): readonly string[] {
  if (only !== "loginSecrets") return only;
  return [
    ...clusters.flatMap((name) => [clusterNames.credentialsSecret(name), clusterNames.nodeTlsSecret(name)]),
    ...secrets,
  ];
}
