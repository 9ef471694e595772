/** What the authorizer was asked about one request. */
export interface RequestedAccess {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Plural; a subresource follows a slash. */
  readonly resource: string;
  readonly name?: string;
  /** Absent of what belongs to no namespace. */
  readonly namespace?: string;
}

/** The right that a request needs; undefined of a path that is no resource, such as `/version`. */
export function requestedAccess(method: string, path: string): RequestedAccess | undefined {
  const { pathname, searchParams } = new URL(path, "https://kubernetes");
  const { group, namespace, plural, name, subresource } = RESOURCE.exec(pathname)?.groups ?? {};
  if (plural === undefined) return undefined;
  return {
    verb: verbOf(method, name !== undefined, searchParams.get("watch") === "true"),
    group: group ?? "",
    resource: [plural, subresource]
      .filter((part) => part !== undefined)
      .map(decodeURIComponent)
      .join("/"),
    ...(name !== undefined && { name: decodeURIComponent(name) }),
    ...(namespace !== undefined && { namespace: decodeURIComponent(namespace) }),
  };
}

/** `/api/v1/...` or `/apis/<group>/<version>/...`; a path that ends with the name of a namespace is about the namespace itself. */
const RESOURCE =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/(?<namespace>[^/]+)(?=\/[^/]))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<subresource>[^/]+))?)?/;

function verbOf(method: string, isNamed: boolean, isWatch: boolean): string {
  if (method === "GET") return isNamed ? "get" : isWatch ? "watch" : "list";
  if (method === "DELETE") return isNamed ? "delete" : "deletecollection";
  return VERBS[method] ?? method.toLowerCase();
}

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };
