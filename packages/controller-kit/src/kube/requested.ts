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
  const [root, ...parts] = pathname.split("/").filter((part) => part !== "");
  const [group = "", rest] = root === "api" ? ["", parts.slice(1)] : [parts[0], parts.slice(2)];
  if ((root !== "api" && root !== "apis") || rest[0] === undefined) return undefined;
  const isInside = rest[0] === "namespaces" && rest.length > 2;
  const [plural = "", name, subresource] = (isInside ? rest.slice(2) : rest).map(decodeURIComponent);
  const namespace = isInside ? decodeURIComponent(rest[1] ?? "") : undefined;
  return {
    verb: verbOf(method, name !== undefined, searchParams.get("watch") === "true"),
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
}

function verbOf(method: string, isNamed: boolean, isWatch: boolean): string {
  if (method === "GET") return isNamed ? "get" : isWatch ? "watch" : "list";
  if (method === "DELETE") return isNamed ? "delete" : "deletecollection";
  return VERBS[method] ?? method.toLowerCase();
}

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };
