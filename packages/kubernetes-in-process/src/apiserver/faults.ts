import { Fault, type FaultSpec, messageOf } from "../../../controller-kit/src/base/fault.ts";
import { getObjects, listKinds } from "../../../controller-kit/src/base/kubectl.ts";
import type { Json } from "./objects/json.ts";
import { placeholder } from "../../../controller-kit/src/base/shell-word.ts";

/** A fault that a client gets as a Status object: HTTP code and reason as Kubernetes names them. */
export interface StatusSpec extends FaultSpec {
  readonly http: number;
  readonly reason: string;
}

/** Faults of the server itself, which stop it or keep it from starting. */
export const faults = {
  storeCorrupt: {
    code: "APISERVER_STORE_CORRUPT",
    retry: "never",
    remedy: "Restore the data directory from a copy, or remove it to begin with an empty cluster.",
  },
  storeClosed: { code: "APISERVER_STORE_CLOSED", retry: "backoff", remedy: "Start the server again." },
  storeWrite: {
    code: "APISERVER_STORE_WRITE",
    retry: "never",
    remedy: "Free space on the disk of the data directory, then start the server again.",
  },
  dataDirInUse: {
    code: "APISERVER_DATA_DIR_IN_USE",
    retry: "never",
    remedy: "Stop the other server, or choose another data directory.",
  },
  addressTaken: {
    code: "APISERVER_ADDRESS_TAKEN",
    retry: "never",
    remedy: "Choose another port, or port 0 for a free one.",
  },
} as const satisfies Record<string, FaultSpec>;

/** Answers to requests that cannot be carried out. */
export const apiErrors = {
  badRequest: row("BAD_REQUEST", 400, "BadRequest", "correct the request"),
  unauthorized: row("UNAUTHORIZED", 401, "Unauthorized", "use the kubeconfig of this server"),
  forbidden: row("FORBIDDEN", 403, "Forbidden", "grant the right with a Role and a RoleBinding"),
  notFound: row("NOT_FOUND", 404, "NotFound", `list what exists: ${getObjects(placeholder("<kind>"))}`),
  methodNotAllowed: row(
    "METHOD_NOT_ALLOWED",
    405,
    "MethodNotAllowed",
    `look which verbs the kind has: ${listKinds({ wide: true })}`,
  ),
  notAcceptable: row("NOT_ACCEPTABLE", 406, "NotAcceptable", "accept application/json"),
  alreadyExists: row("ALREADY_EXISTS", 409, "AlreadyExists", "choose another name, or change the object that exists"),
  conflict: row("CONFLICT", 409, "Conflict", "read the object again and repeat the change", "backoff"),
  expired: row("EXPIRED", 410, "Expired", "list again, then watch from the new resourceVersion", "backoff"),
  tooLarge: row("TOO_LARGE", 413, "RequestEntityTooLarge", "send less than 3 MiB"),
  unsupportedMediaType: row("UNSUPPORTED_MEDIA_TYPE", 415, "UnsupportedMediaType", "send application/json"),
  invalid: row("INVALID", 422, "Invalid", "correct the named fields"),
  tooManyRequests: row("TOO_MANY_REQUESTS", 429, "TooManyRequests", "try again later", "backoff"),
  /** Kubernetes passes this error of etcd on as it is. */
  recordTooLarge: row("RECORD_TOO_LARGE", 500, "", "store less than 1.5 MiB in one object"),
  internal: row("INTERNAL", 500, "InternalError", "see the log of the server"),
  unavailable: row("UNAVAILABLE", 503, "ServiceUnavailable", "try again later", "backoff"),
  timeout: row("TIMEOUT", 504, "Timeout", "list without a resourceVersion", "backoff"),
  notImplemented: row("NOT_IMPLEMENTED", 501, "NotImplemented", "this server does not offer it"),
} as const satisfies Record<string, StatusSpec>;

/** One field that is wrong, as Status.details.causes lists it. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** What a Status says about the object it is about. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A fault that a client gets as a Status; empty details are left out, as in every object of the API. */
export function apiError(spec: StatusSpec, message: string, details: StatusDetails = {}): Fault {
  const given = Object.entries(details).filter(([, value]) => value !== "" && value !== undefined);
  return new Fault(spec, message, Object.fromEntries(given));
}

/** The Status object for anything thrown; what is no refusal becomes InternalError without inner details. */
export function statusBody(error: unknown): Json & { code: number } {
  const spec = error instanceof Fault ? Object.values(apiErrors).find(({ code }) => code === error.code) : undefined;
  const { http, reason } = spec ?? apiErrors.internal;
  const message = spec === undefined ? `Internal error occurred: ${messageOf(error)}` : messageOf(error);
  const details = error instanceof Fault && spec !== undefined ? error.details : {};
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
    code: http,
  };
}

/** 404 for an object: `configmaps "x" not found`. */
export function notFoundError(resource: { group: string; plural: string }, name: string): Fault {
  const about = { name, group: resource.group, kind: resource.plural };
  return apiError(apiErrors.notFound, `${qualifiedResource(resource)} "${name}" not found`, about);
}

/** 422 with one cause for each wrong field, worded as Kubernetes does. */
export function invalidError(
  kind: { group: string; kind: string },
  name: string,
  causes: readonly StatusCause[],
): Fault {
  const sentences = causes.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  const list = sentences.length === 1 ? (sentences[0] ?? "") : `[${sentences.join(", ")}]`;
  const title = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const about = { name, group: kind.group, kind: kind.kind, causes };
  return apiError(apiErrors.invalid, `${title} "${name}" is invalid: ${list}`, about);
}

/** 409 for a change that rests on an old resourceVersion. */
export function conflictError(resource: { group: string; plural: string }, name: string, why: string): Fault {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`;
  return apiError(apiErrors.conflict, message, { name, group: resource.group, kind: resource.plural });
}

/** `deployments.apps`; the bare plural in the core group. */
export function qualifiedResource({ group, plural }: { group: string; plural: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function row(code: string, http: number, reason: string, remedy: string, retry: "never" | "backoff" = "never") {
  return { code: `APISERVER_${code}`, http, reason, remedy, retry } as const;
}
