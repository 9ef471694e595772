import { isFault, messageOf } from "#kit/base/fault";
import { attemptsOf, type Attempt, type AttemptFailure } from "../../../ports/management/attempt.ts";
import { faults } from "../../../ports/management/faults.ts";

const PLAIN_WORDS: Readonly<Partial<Record<AttemptFailure, string>>> = {
  refused: "connection refused",
  closed: "connection closed",
  noRoute: "no way to the address",
  timeout: "no answer in time",
  notJoined: "not joined yet",
};

/** Why a cluster cannot be asked, as one sentence that stays the same while the cause does: no addresses, no system codes. */
export function whyUnreachable(error: unknown): string {
  if (!isFault(error, faults.unreachable)) return messageOf(error);
  const tried = attemptsOf(error);
  if (tried.length === 0) return "no node has an address yet";
  const causes = [...new Set(tried.map(causeOf))].toSorted();
  return `no node answers on port 9443 (${causes.join(", ")})`;
}

function causeOf({ failure, said }: Attempt): string {
  return PLAIN_WORDS[failure] ?? said;
}
