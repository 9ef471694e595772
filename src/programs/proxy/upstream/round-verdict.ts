import type { Address } from "../../../ports/management/proxy-control.ts";
import type { Reply } from "../../../ports/resp/reply.ts";

/** What a round has shown: every replica has what was executed before it, some do not, or the engine is no primary. */
export type RoundVerdict = "covered" | "missing" | "not-primary";

/**
 * Judges a round by two replies to ROLE, before and after the wait: each replica must have confirmed what the engine had
 * written at the first one. The number that WAIT gives is no proof: it counts replicas that are not meant.
 */
export function judgeRound(
  [before, after]: readonly (Reply | undefined)[],
  replicas: readonly Address[],
): RoundVerdict {
  if (before === undefined || after === undefined) return "missing";
  const [first, last] = [roleOf(before), roleOf(after)];
  if (first === undefined || last === undefined) return "not-primary";
  const has = ({ host, port }: Address): boolean =>
    last.replicas.some((one) => one.host === host && one.port === port && one.offset >= first.offset);
  return replicas.every(has) ? "covered" : "missing";
}

interface PrimaryRole {
  readonly offset: number;
  readonly replicas: readonly (Address & { readonly offset: number })[];
}

/** Undefined for the role of a replica. */
function roleOf(reply: Reply): PrimaryRole | undefined {
  if (!Array.isArray(reply) || String(reply[0]) !== "master") return undefined;
  const listed: readonly unknown[] = Array.isArray(reply[2]) ? reply[2] : [];
  const replicas = listed.flatMap((one) =>
    Array.isArray(one) ? [{ host: String(one[0]), port: Number(one[1]), offset: Number(one[2]) }] : [],
  );
  return { offset: Number(reply[1]), replicas };
}
