import { invalidError, apiErrors, apiError, type StatusCause } from "../faults.ts";
import type { ApiCall } from "../http/call.ts";
import type { RequestVerb } from "../resources/resource.ts";

/** 422 for parameters of a request that no request may have, 400 for numbers that are none. */
export function checkOptions({ query }: Pick<ApiCall, "query">, verb: RequestVerb): void {
  const causes = isRead(verb) ? listCauses(query) : writeCauses(query, verb);
  if (causes.length > 0) throw invalidError({ group: "meta.k8s.io", kind: OPTIONS[verb] }, "", causes);
  const limit = query.get("limit") ?? "";
  if (!/^-?\d*$/.test(limit)) throw apiError(apiErrors.badRequest, `limit must be a whole number, not ${limit}`);
}

const OPTIONS: Readonly<Record<RequestVerb, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  delete: "DeleteOptions",
  deletecollection: "DeleteOptions",
  get: "GetOptions",
  list: "ListOptions",
  watch: "ListOptions",
};

function isRead(verb: RequestVerb): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}

function writeCauses(query: URLSearchParams, verb: RequestVerb): StatusCause[] {
  const dryRun = query.getAll("dryRun").filter((each) => each !== "");
  const validation = query.get("fieldValidation") ?? "";
  const causes: StatusCause[] = [];
  if (dryRun.some((each) => each !== "All")) {
    causes.push(unsupportedValue("dryRun", `[]string{${dryRun.map(quoteText).join(", ")}}`, ["All"]));
  }
  if (!verb.startsWith("delete") && !VALIDATIONS.includes(validation)) {
    causes.push(unsupportedValue("fieldValidation", quoteText(validation), VALIDATIONS));
  }
  return causes;
}

const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];

function listCauses(query: URLSearchParams): StatusCause[] {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  if (match === "" || query.get("sendInitialEvents") !== null) return [];
  if (version === "") return [forbiddenMatch("resourceVersionMatch is forbidden unless resourceVersion is provided")];
  if ((query.get("continue") ?? "") !== "") return [forbiddenMatch("resourceVersionMatch is forbidden for continue")];
  if (!MATCHES.includes(match)) return [unsupportedValue("resourceVersionMatch", quoteText(match), MATCHES)];
  if (match === "Exact" && version === "0") {
    return [forbiddenMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')];
  }
  return [];
}

const MATCHES = ["Exact", "NotOlderThan", ""];

function forbiddenMatch(why: string): StatusCause {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${why}`, field: "resourceVersionMatch" };
}

function unsupportedValue(field: string, value: string, supported: readonly string[]): StatusCause {
  const message = `Unsupported value: ${value}: supported values: ${supported.map(quoteText).join(", ")}`;
  return { reason: "FieldValueNotSupported", message, field };
}

function quoteText(text: string): string {
  return JSON.stringify(text);
}
