import { isAllowed, rulesOf, type RequestAttributes } from "../auth/rbac.ts";
import type { User } from "../auth/user.ts";
import { qualifiedResource, apiErrors, apiError } from "../faults.ts";
import { listAt, textAt, textsAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { sameJson } from "../schema/json.ts";
import type { Store } from "../store/store.ts";

/**
 * A user cannot grant more than the user may do: writing a role needs every right in it (or the verb `escalate`), binding a role needs every
 * right of the role (or the verb `bind`); 403 otherwise.
 */
export function checkEscalation(
  store: Store,
  user: User,
  resource: Resource,
  object: KubeObject,
  before: KubeObject | undefined,
): void {
  const { namespace } = object.metadata;
  const binds = resource.plural.endsWith("bindings");
  if (before !== undefined && !binds && sameJson(object["rules"], before["rules"])) return;
  if (mayAnyway(store, user, resource, object, binds)) return;
  const rules = binds ? rulesOf(store, object) : listAt(object, "rules");
  const missing = rules.flatMap((rule) => {
    const lacking = textsAt(rule, "verbs").filter((verb) =>
      actionsOf({ ...rule, verbs: [verb] }, namespace).some((action) => !isAllowed(store, user, action)),
    );
    return lacking.length === 0 ? [] : [{ ...rule, verbs: lacking }];
  });
  if (missing.length === 0) return;
  const { name } = object.metadata;
  const list = missing.map(ruleText).join("\n");
  const why = `user ${JSON.stringify(user.name)} (groups=${JSON.stringify(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${list}`;
  throw apiError(apiErrors.forbidden, `${qualifiedResource(resource)} ${JSON.stringify(name)} is forbidden: ${why}`, {
    name,
    group: resource.group,
    kind: resource.plural,
  });
}

function mayAnyway(store: Store, user: User, resource: Resource, object: KubeObject, binds: boolean): boolean {
  const role = textAt(object, "roleRef", "kind") === "ClusterRole" ? "clusterroles" : "roles";
  return isAllowed(store, user, {
    kind: "resource",
    verb: binds ? "bind" : "escalate",
    group: resource.group,
    plural: binds ? role : resource.plural,
    subresource: undefined,
    namespace: object.metadata.namespace,
    name: binds ? textAt(object, "roleRef", "name") : object.metadata.name,
  });
}

/** Every single action that a rule allows; a wildcard stands for itself, so only a wildcard covers it. */
function actionsOf(rule: Json, namespace: string | undefined): RequestAttributes[] {
  const verbs = textsAt(rule, "verbs");
  const paths = textsAt(rule, "nonResourceURLs").flatMap((path) =>
    verbs.map((verb): RequestAttributes => ({ kind: "path", verb, path })),
  );
  const named = textsAt(rule, "resourceNames");
  const names = named.length === 0 ? [undefined] : named;
  const resources = textsAt(rule, "apiGroups").flatMap((group) =>
    textsAt(rule, "resources").flatMap((resource) => {
      const [plural = "", subresource] = resource.split("/");
      return verbs.flatMap((verb) =>
        names.map((name): RequestAttributes => ({
          kind: "resource",
          verb,
          group,
          plural,
          subresource,
          namespace,
          name,
        })),
      );
    }),
  );
  return [...paths, ...resources];
}

/** The fields of a rule as the refusal spells them. */
const SPELLED = {
  apiGroups: "APIGroups",
  resources: "Resources",
  resourceNames: "ResourceNames",
  nonResourceURLs: "NonResourceURLs",
  verbs: "Verbs",
} as const;

function ruleText(rule: Json): string {
  const fields = Object.entries(SPELLED)
    .filter(([field]) => textsAt(rule, field).length > 0)
    .map(([field, spelled]) => `${spelled}:${JSON.stringify(textsAt(rule, field))}`);
  return `{${fields.join(", ")}}`;
}
