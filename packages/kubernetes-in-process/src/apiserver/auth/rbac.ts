import { listAt, textAt, textsAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Store } from "../store/store.ts";
import { ADMINISTRATORS, type User } from "./user.ts";

/** What a user wants to do with a resource. */
export interface ResourceAttributes {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** What a user wants to do: with a resource, or with a path such as `/metrics`. */
export type RequestAttributes =
  ResourceAttributes | { readonly kind: "path"; readonly verb: string; readonly path: string };

const RBAC = "rbac.authorization.k8s.io";

/** True when a Role or ClusterRole bound to the user allows the action; administrators may do everything. */
export function isAllowed(store: Store, user: User, action: RequestAttributes): boolean {
  if (user.groups.includes(ADMINISTRATORS)) return true;
  const namespace = action.kind === "resource" ? action.namespace : undefined;
  return rulesFor(store, user, namespace).some((rule) => ruleAllows(rule, action));
}

/** Every rule that holds for the user, cluster-wide and in `namespace`. */
export function rulesFor(store: Store, user: User, namespace: string | undefined): Json[] {
  const everywhere = store.list(`clusterrolebindings.${RBAC}`);
  const local = namespace === undefined || namespace === "" ? [] : store.list(`rolebindings.${RBAC}`, `${namespace}/`);
  return [...everywhere, ...local]
    .filter((binding) => listAt(binding, "subjects").some((subject) => isSubject(subject, user, binding)))
    .flatMap((binding) => rulesOf(store, binding));
}

/** Why a request is refused, worded as Kubernetes does. */
export function denialMessage(user: User, action: RequestAttributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${action.verb}`;
  if (action.kind === "path") return `${who} path ${JSON.stringify(action.path)}`;
  const plural = action.subresource === undefined ? action.plural : `${action.plural}/${action.subresource}`;
  const place =
    action.namespace === undefined || action.namespace === ""
      ? "at the cluster scope"
      : `in the namespace ${JSON.stringify(action.namespace)}`;
  return `${who} resource ${JSON.stringify(plural)} in API group ${JSON.stringify(action.group)} ${place}`;
}

function isSubject(subject: Json, user: User, binding: KubeObject): boolean {
  const name = textAt(subject, "name");
  switch (subject["kind"]) {
    case "User":
      return name === user.name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount": {
      const namespace = textAt(subject, "namespace") || (binding.metadata.namespace ?? "");
      return user.name === `system:serviceaccount:${namespace}:${name}`;
    }
    default:
      return false;
  }
}

/** The rules of the role that a binding refers to; none when the role is not there. */
export function rulesOf(store: Store, binding: KubeObject): Json[] {
  const name = textAt(binding, "roleRef", "name");
  const role =
    textAt(binding, "roleRef", "kind") === "ClusterRole"
      ? store.get(`clusterroles.${RBAC}`, name)
      : store.get(`roles.${RBAC}`, `${binding.metadata.namespace ?? ""}/${name}`);
  return listAt(role, "rules");
}

function ruleAllows(rule: Json, action: RequestAttributes): boolean {
  if (!covers(textsAt(rule, "verbs"), action.verb)) return false;
  if (action.kind === "path") {
    return textsAt(rule, "nonResourceURLs").some((url) =>
      url.endsWith("*") ? action.path.startsWith(url.slice(0, -1)) : url === action.path,
    );
  }
  const names = textsAt(rule, "resourceNames");
  return (
    covers(textsAt(rule, "apiGroups"), action.group) &&
    coversResource(textsAt(rule, "resources"), action.plural, action.subresource) &&
    (names.length === 0 || (action.name !== undefined && names.includes(action.name)))
  );
}

function covers(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes("*") || allowed.includes(wanted);
}

function coversResource(allowed: readonly string[], plural: string, subresource: string | undefined): boolean {
  if (subresource === undefined) return covers(allowed, plural);
  return covers(allowed, `${plural}/${subresource}`) || allowed.includes(`*/${subresource}`);
}
