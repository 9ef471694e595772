import { isFault, messageOf } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** Why a node gave no answer; `notJoined` when it answered that it is not a member yet. */
export type AttemptFailure = "refused" | "closed" | "noRoute" | "timeout" | "certificate" | "notJoined" | "other";

/** A request to one address that brought no answer; `said` is the message of the transport, for people. */
export interface Attempt {
  readonly address: string;
  readonly failure: AttemptFailure;
  readonly said: string;
}

/** What the transport threw for `address`. */
export function attemptOf(address: string, error: unknown): Attempt {
  return { address, failure: failureOf(error), said: messageOf(error) };
}

/** The attempts behind a MANAGEMENT_UNREACHABLE; none for anything else. */
export function attemptsOf(error: unknown): readonly Attempt[] {
  return isFault(error, faults.unreachable) ? (error.details["tried"] as readonly Attempt[]) : [];
}

/** The code of a system error, or of the transport; empty when it has none. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** The kinds of failure by the codes of Node, OpenSSL and undici. */
const FAILURES: Readonly<Record<string, AttemptFailure>> = {
  ...codes("refused", "ECONNREFUSED"),
  ...codes("closed", "ECONNRESET EPIPE UND_ERR_SOCKET UND_ERR_CLOSED UND_ERR_DESTROYED"),
  ...codes("noRoute", "EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL"),
  ...codes("timeout", "ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_ABORTED"),
  ...codes(
    "certificate",
    "ERR_TLS_CERT_ALTNAME_INVALID CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_UNTRUSTED CERT_REJECTED",
  ),
  ...codes("certificate", "CERT_REVOKED CERT_SIGNATURE_FAILURE CERT_CHAIN_TOO_LONG DEPTH_ZERO_SELF_SIGNED_CERT"),
  ...codes("certificate", "SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY"),
  ...codes("certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE"),
};

function codes(failure: AttemptFailure, names: string): Readonly<Record<string, AttemptFailure>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, failure]));
}

function failureOf(error: unknown): AttemptFailure {
  // the reason of an AbortSignal has a name, and a number for a code
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) return "timeout";
  return FAILURES[systemCodeOf(error)] ?? "other";
}
