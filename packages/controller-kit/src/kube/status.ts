import { z } from "zod";
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

const STATUS = z.object({
  kind: z.literal("Status"),
  code: z.number().optional().catch(undefined),
  reason: z.string().catch(""),
  message: z.string().catch(""),
  details: z.unknown().optional(),
});

/** Reads a Status out of an answer; an answer that is none (a proxy's page) becomes one with an excerpt as message. */
export function statusOf(code: number, body: unknown): ApiStatus {
  const status = STATUS.safeParse(body);
  if (status.success) {
    const { kind: _kind, ...rest } = status.data;
    return { ...rest, code: rest.code ?? code };
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
