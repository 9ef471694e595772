import { Fault, type FaultSpec } from "../base/fault.ts";
import { faults } from "./faults.ts";
import { requestedAccess } from "./requested.ts";

/** The server's answer to a request that failed. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: unknown;
}

/** Reads a Status out of an answer; an answer that is none (a proxy's page) becomes one with an excerpt as message. */
export function statusOf(code: number, body: unknown): ApiStatus {
  if (typeof body === "object" && body !== null && "kind" in body && body.kind === "Status") {
    return {
      code: "code" in body && typeof body.code === "number" ? body.code : code,
      reason: "reason" in body && typeof body.reason === "string" ? body.reason : "",
      message: "message" in body && typeof body.message === "string" ? body.message : "",
      ...("details" in body ? { details: body.details } : {}),
    };
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { code, reason: "", message: text.slice(0, 300).trim() };
}

/**
 * The fault for a Status; `what` says what was asked as method and path, `retryAfterMs` how long the server wants to be left alone. A refusal
 * for want of rights has the right in `details.access`.
 */
export function faultOf(status: ApiStatus, what: string, retryAfterMs?: number): Fault {
  const [method = "", path = ""] = what.split(" ");
  const access = status.code === 403 ? requestedAccess(method, path) : undefined;
  const details = {
    status,
    ...(access === undefined ? {} : { access }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return new Fault(specOf(status), `${what}: ${status.message || status.reason || `status ${status.code}`}`, details);
}

function specOf({ code, reason }: ApiStatus): FaultSpec {
  if (code === 409) return reason === "AlreadyExists" ? faults.alreadyExists : faults.conflict;
  if (code === 429 || code >= 500) return faults.unavailable;
  return BY_CODE[code] ?? faults.invalid;
}

const BY_CODE: Readonly<Record<number, FaultSpec>> = {
  401: faults.unauthorized,
  403: faults.forbidden,
  404: faults.notFound,
  410: faults.gone,
};
