import { KINDS } from "../../../core/api/kinds.ts";
import { API_GROUP, clusterNames, OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Access } from "../../../core/releases/permissions/person-grants.ts";

/** The cluster that is looked at, and the Secret with its login. */
export interface LookedAt {
  readonly name: string;
  readonly namespace: string;
  readonly credentials: string;
}

/** The rights to look at a cluster and to log in, which a command that changes things needs before anything else. */
export function lookRights({ name, namespace, credentials }: LookedAt): readonly Access[] {
  const secret = { group: "", resource: "secrets", namespace };
  return [
    { verb: "list", group: API_GROUP, resource: KINDS.cluster.plural, namespace },
    { verb: "list", group: API_GROUP, resource: KINDS.database.plural, namespace },
    { verb: "list", group: "", resource: "pods", namespace },
    { verb: "get", group: "apps", resource: "statefulsets", name, namespace },
    { verb: "get", group: "apps", resource: "deployments", name: OPERATOR_NAME, namespace },
    { verb: "get", ...secret, name: credentials },
    { verb: "get", ...secret, name: clusterNames.nodeTlsSecret(name) },
  ];
}

/** A right over an object of ours. */
export function ownRight(
  verb: "get" | "patch" | "create" | "update",
  kind: keyof typeof KINDS,
  name: string | undefined,
  namespace: string,
): Access {
  return { verb, group: API_GROUP, resource: KINDS[kind].plural, namespace, ...(name !== undefined && { name }) };
}
