import { isFault, messageOf } from "../../../core/base/fault.ts";
import { faults } from "../../../ports/management/faults.ts";

const PLAIN_WORDS: readonly (readonly [sign: RegExp, words: string])[] = [
  [/ECONNREFUSED/, "connection refused"],
  [/ECONNRESET|socket hang up|other side closed/i, "connection closed"],
  [/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, "no way to the address"],
  [/timeout|timed out|aborted/i, "no answer in time"],
  [/not a member yet/, "not joined yet"],
];

/** Why a cluster cannot be asked, as one sentence that stays the same while the cause does: no addresses, no system codes. */
export function whyUnreachable(error: unknown): string {
  if (!isFault(error, faults.unreachable)) return messageOf(error);
  const tried = Array.isArray(error.details["tried"]) ? error.details["tried"].map(String) : [];
  if (tried.length === 0) return "no node has an address yet";
  const causes = [...new Set(tried.map(causeOf))].toSorted();
  return `no node answers on port 9443 (${causes.join(", ")})`;
}

/** `tried` holds `<address>: <what happened>`. */
function causeOf(tried: string): string {
  return PLAIN_WORDS.find(([sign]) => sign.test(tried))?.[1] ?? tried.replace(/^\S+: /, "");
}
