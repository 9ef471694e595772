import { listPermissions } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { notKnown, wait } from "../findings/finding.ts";
import type { Check, Moment } from "./check.ts";
import { CHECKS } from "./list.ts";
import type { RequiredFact, CheckInput } from "./check-input.ts";

/** What a check came to. `skipped`: this caller does not look at what it needs. */
export type CheckVerdict =
  | { readonly check: Check; readonly outcome: "passed" | "skipped" }
  | { readonly check: Check; readonly outcome: "found" | "unknown"; readonly finding: Finding };

/** Every check that is asked at one of `moments`, in the order of the list. A fact that could not be read is no pass. */
export function verdictsAt(moments: readonly Moment[], input: CheckInput): readonly CheckVerdict[] {
  return CHECKS.filter(({ at }) => at.some((moment) => moments.includes(moment))).map((check) =>
    verdictOf(check, input),
  );
}

/** The findings of the checks of a moment, for callers that act: an unknown fact stops nothing. */
export function findingsAt(moment: Moment, input: CheckInput): readonly Finding[] {
  return verdictsAt([moment], input).flatMap((verdict) => (verdict.outcome === "found" ? [verdict.finding] : []));
}

/**
 * The first fact of a moment that was asked for and could not be read, as a finding to wait for. Facts that the caller need not read do not
 * count, nor those that the cluster reports, without which nothing is done anyway.
 */
export function firstUnreadAt(moment: Moment, input: CheckInput): Finding | undefined {
  for (const { id, asks, at, needs } of CHECKS) {
    const around = at.includes(moment) ? needs.filter((need) => !isOptional(need, input)) : [];
    const why = around.map((need) => lack(need, input)).find((reason) => reason !== undefined && reason !== "");
    if (why === undefined) continue;
    const remedy = `it is read again and again; see what the operator may do: ${listPermissions()}`;
    return wait(id, `it is not known whether ${asks}: ${why}`, remedy);
  }
  return undefined;
}

/** The first objection of a moment. */
export function firstFindingAt(moment: Moment, input: CheckInput): Finding | undefined {
  for (const check of CHECKS) {
    const verdict = check.at.includes(moment) ? verdictOf(check, input) : undefined;
    if (verdict?.outcome === "found") return verdict.finding;
  }
  return undefined;
}

function verdictOf(check: Check, input: CheckInput): CheckVerdict {
  const lacks = check.needs.map((need) => lack(need, input)).find((reason) => reason !== undefined);
  if (lacks === "") return { check, outcome: "skipped" };
  if (lacks !== undefined)
    return {
      check,
      outcome: "unknown",
      finding: notKnown(check.id, `it is not known whether ${check.asks}: ${lacks}`),
    };
  const finding = check.find(input);
  if (finding === undefined) return { check, outcome: "passed" };
  return { check, outcome: finding.severity === "unknown" ? "unknown" : "found", finding };
}

function isOptional(need: RequiredFact, { environment }: CheckInput): boolean {
  if (need === "cluster") return true;
  const reading = need === "kubernetesMinor" ? undefined : environment[need];
  return reading?.read === false && reading.isOptional === true;
}

/** Why a fact is missing; empty when the caller did not ask for it, undefined when it is there. */
function lack(need: RequiredFact, { view, environment }: CheckInput): string | undefined {
  switch (need) {
    case "cluster":
      return view.cluster.reachable ? undefined : view.cluster.reason;
    case "kubernetesMinor":
      return view.kubernetesMinor === undefined ? "the API server did not tell its version" : undefined;
    default: {
      const reading = environment[need];
      if (reading === undefined) return "";
      return reading.read ? undefined : reading.why;
    }
  }
}
