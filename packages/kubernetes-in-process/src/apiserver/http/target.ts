import { apiErrors, apiError } from "../faults.ts";
import type { RequestVerb } from "../resources/resource.ts";

/** What a request for resources is aimed at. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** What follows the name, `status` for instance; undefined for the object itself. */
  readonly subresource: string | undefined;
  readonly verb: RequestVerb;
}

/** The parts of `/api/v1/…` and `/apis/<group>/<version>/<something>…`; undefined for every other path. */
export function targetOf(method: string, path: string, query: URLSearchParams): Target | undefined {
  const parts = splitPath(path);
  const core = parts[0] === "api";
  if (!core && parts[0] !== "apis") return undefined;
  const [group, version] = core ? ["", parts[1]] : [parts[1] ?? "", parts[2]];
  const rest = parts.slice(core ? 2 : 3);
  if (version === undefined || rest[0] === undefined) return undefined;

  const place = placeOf(rest);
  const watching = ["1", "true"].includes(query.get("watch") ?? "");
  return { group, version, ...place, verb: verbOf(method, place.name !== undefined, watching) };
}

type NamedTarget = Pick<Target, "plural" | "namespace" | "name" | "subresource">;

function placeOf(rest: readonly string[]): NamedTarget {
  // `namespaces/x/status` is about the namespace itself, `namespaces/x/pods` about what is in it
  const inside = rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? "");
  const [plural = "", name, ...more] = inside ? rest.slice(2) : rest;
  const namespace = inside ? rest[1] : plural === "namespaces" ? name : undefined;
  return { plural, namespace, name, subresource: more.length === 0 ? undefined : more.join("/") };
}

function verbOf(method: string, named: boolean, watching: boolean): RequestVerb {
  switch (method) {
    case "GET":
    case "HEAD":
      if (watching) return "watch";
      return named ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      throw apiError(apiErrors.methodNotAllowed, `the server does not allow the method ${method}`);
  }
}

function splitPath(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch (error) {
    throw apiError(apiErrors.badRequest, `the path ${path} is not well encoded: ${String(error)}`);
  }
}
