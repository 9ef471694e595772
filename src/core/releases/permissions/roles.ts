import { clusterNames, UNPRIVILEGED_CONSTRAINT } from "../../api/names.ts";
import { PERMISSIONS } from "./permissions.ts";
import {
  POLICY_VERBS,
  type Named,
  type Permission,
  type Platform,
  type Program,
  type PolicyVerb,
} from "./permission.ts";

/** One rule of a Role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly PolicyVerb[];
}

/** The cluster whose nodes and rigger a Role is for. */
export interface RoleScope {
  readonly name: string;
  /** Nodes that it has or is about to have. */
  readonly nodes: number;
  /** Plain Kubernetes when absent. */
  readonly platform?: Platform;
  /** Names of the Secrets that its nodes may use; every Secret of the namespace when absent. */
  readonly secrets?: readonly string[] | undefined;
  /** Nodes of older releases are members: their rights stay. */
  readonly hasOlderNodes?: boolean;
}

/** Rules of the operator: what it does, and what it grants to nodes and rigger, since Kubernetes lets no account grant more than it has. */
export function operatorRules(platform: Platform): readonly PolicyRule[] {
  return rulesFrom(
    permissionsOn(platform).map(({ group, resource, verbs, only }) => ({
      group,
      resource,
      verbs,
      names: anywhere(only),
    })),
  );
}

/** The rights of the operator while the bundle is being deleted: enough to remove its finalizers from clusters and databases. */
export const TEARDOWN_RULES: readonly PolicyRule[] = rulesFrom(
  PERMISSIONS.filter(({ atTeardown }) => atTeardown === true).map(({ group, resource, verbs }) => ({
    group,
    resource,
    verbs,
    names: [],
  })),
);

/** Rules of the nodes or of the rigger of one cluster. */
export function clusterRules(who: Exclude<Program, "operator">, scope: RoleScope): readonly PolicyRule[] {
  const own = neededBy(who, scope);
  return rulesFrom(
    own.map(({ group, resource, verbs, only }) => ({ group, resource, verbs, names: namesOf(only, scope) })),
  );
}

/** One verb on one resource, as a program needs it. */
export interface Need extends Pick<Permission, "who" | "group" | "resource" | "why" | "without" | "spare"> {
  readonly verb: PolicyVerb;
  /** Only on the object of this name. */
  readonly name?: string;
}

/** A need that the authorizer denies, and the Role that should grant it. */
export interface MissingPermission extends Need {
  readonly namespace: string;
  /** Namespace of the account that lacks it. */
  readonly home?: string;
  readonly role: string;
}

/** What the operator must be allowed: what it does itself, and what it grants. */
export function operatorNeeds(platform: Platform = "kubernetes"): readonly Need[] {
  const needs = permissionsOn(platform).flatMap(({ verbs, only, ...row }) => {
    const [name] = anywhere(only);
    const named = name === undefined ? {} : { name };
    return verbs.map((verb) => ({
      ...plain(row),
      who: "operator" as const,
      verb,
      without: withoutGrant(row),
      ...named,
    }));
  });
  return needs.filter((need, index) => needs.findIndex((other) => needText(other) === needText(need)) === index);
}

/** What nodes or rigger of one cluster must be allowed. Of the Secrets, which come and go, one speaks for all that nodes may use. */
export function clusterNeeds(who: Exclude<Program, "operator">, scope: RoleScope): readonly Need[] {
  const own = neededBy(who, scope);
  return own.flatMap(({ verbs, only, ...row }) => {
    const names = only === "nodeSecrets" ? [clusterNames.databaseSecret(scope.name, 1)] : namesOf(only, scope);
    const each = names.length === 0 ? [{}] : names.map((name) => ({ name }));
    return verbs.flatMap((verb) => each.map((name) => ({ ...plain(row), who, verb, ...name })));
  });
}

function neededBy(who: Program, { platform, hasOlderNodes = false }: RoleScope): readonly Permission[] {
  return permissionsOn(platform).filter((one) => one.who === who && (hasOlderNodes || one.forOlderNodes !== true));
}

/** Those of one platform alone come last. */
function permissionsOn(platform: Platform = "kubernetes"): readonly Permission[] {
  return [...PERMISSIONS.filter(({ on }) => on === undefined), ...PERMISSIONS.filter(({ on }) => on === platform)];
}

/** Names that are the same for every cluster: the operator is limited to them too. */
function anywhere(only: Named | undefined): readonly string[] {
  return only === "unprivilegedConstraint" ? [UNPRIVILEGED_CONSTRAINT] : [];
}

function withoutGrant({ who, without }: Pick<Permission, "who" | "without">): string {
  return who === "operator" ? without : `the Role of each ${who} cannot be written: ${without}`;
}

function plain({
  group,
  resource,
  why,
  without,
  spare,
}: Pick<Permission, "group" | "resource" | "why" | "without" | "spare">) {
  return { group, resource, why, without, ...(spare === undefined ? {} : { spare }) };
}

function needText({ group, resource, verb }: Pick<Need, "group" | "resource" | "verb">): string {
  return `${verb} ${resource}.${group}`;
}

function namesOf(only: Named | undefined, { name, nodes, secrets = [] }: RoleScope): readonly string[] {
  const uids = Array.from({ length: nodes }, (_, index) => index + 1);
  switch (only) {
    case "unprivilegedConstraint":
      return anywhere(only);
    case undefined:
      return [];
    case "leaderLease":
      return [clusterNames.leaderLease(name)];
    case "nodeLeases":
      return uids.map((uid) => clusterNames.nodeLease(name, uid));
    case "nodeSecrets":
      return secrets;
    case "nodePods":
      return uids.map((uid) => clusterNames.nodePod(name, uid));
  }
}

interface Grant extends Pick<Permission, "group" | "resource" | "verbs"> {
  readonly names: readonly string[];
}

/** One rule for each resource and set of names, with every verb that some row asks for. */
function rulesFrom(grants: readonly Grant[]): readonly PolicyRule[] {
  const byPlace = Map.groupBy(grants, ({ group, resource, names }) => JSON.stringify([group, resource, names]));
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return {
      apiGroups: [first.group],
      resources: [first.resource],
      ...(first.names.length === 0 ? {} : { resourceNames: first.names }),
      verbs: POLICY_VERBS.filter((verb) => same.some(({ verbs }) => verbs.includes(verb))),
    };
  });
}
