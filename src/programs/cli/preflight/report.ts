import type { Finding } from "../../../core/api/parts.ts";
import type { CheckVerdict } from "../../../core/planner/prerequisites/run.ts";
import type { CheckInput } from "../../../core/planner/prerequisites/check-input.ts";
import { foldText } from "../console/output.ts";
import { MAY_NOT_READ } from "../access/denied.ts";
import type { Lack } from "../access/rights.ts";

/** What `storectl preflight` answers. */
export interface PreflightReport {
  readonly cluster: string;
  readonly namespace: string;
  /** Operator versions; null when no step between known releases is wanted. */
  readonly from: string | null;
  readonly to: string | null;
  readonly verdict: "ready" | "blocked" | "unknown";
  readonly checks: readonly {
    readonly id: string;
    readonly asks: string;
    readonly outcome: CheckVerdict["outcome"];
    readonly finding: Finding | null;
  }[];
  /** What the caller may not read, and the line that grants it; null when everything was read. */
  readonly notRead: Lack | null;
}

export function preflightReport(
  { view, step }: CheckInput,
  verdicts: readonly CheckVerdict[],
  namespace: string,
  lack?: Lack,
): PreflightReport {
  const findings = verdicts.flatMap((verdict) => ("finding" in verdict ? [verdict.finding] : []));
  const has = (...severities: Finding["severity"][]): boolean =>
    findings.some(({ severity }) => severities.includes(severity));
  return {
    cluster: view.name,
    namespace,
    from: step === undefined ? null : (step.from?.operator ?? step.fromTag),
    to: step?.to.operator ?? null,
    verdict: has("block", "wait") ? "blocked" : has("unknown") ? "unknown" : "ready",
    checks: verdicts.map((verdict) => ({
      id: verdict.check.id,
      asks: verdict.check.asks,
      outcome: verdict.outcome,
      finding: "finding" in verdict ? verdict.finding : null,
    })),
    notRead: lack ?? null,
  };
}

const WORDS = { block: "BLOCKS", wait: "WAITS", consent: "CONSENT", warn: "NOTE", unknown: "UNKNOWN" } as const;
const ORDER = ["block", "wait", "consent", "unknown", "warn"] as const;
const INDENT = " ".repeat(10);

/** The report for people: what objects first, with its evidence and the way out; then the verdict. */
export function preflightTable(report: PreflightReport, all: boolean, columns?: number): string {
  const { cluster, namespace, from, to, checks } = report;
  const step = to === null ? "no upgrade is asked for (--to <release> checks one)" : `from ${from ?? ""} to ${to}`;
  const findings = checks.flatMap(({ finding }) => (finding === null ? [] : [finding]));
  const unknowns = unknownTexts(report, columns);
  const passed = checks.filter(({ outcome }) => outcome === "passed");
  return [
    `${namespace}/${cluster}: ${step}\n\n`,
    ...ORDER.flatMap((severity) =>
      severity === "unknown"
        ? unknowns
        : findings.filter((finding) => finding.severity === severity).map((finding) => findingText(finding, columns)),
    ),
    ...(all ? passed.map(({ asks }) => `${"ok".padEnd(10)}${asks}\n`) : []),
    `${findings.length + (all ? passed.length : 0) > 0 ? "\n" : ""}${summaryText(findings, passed.length)}\n`,
  ].join("");
}

/** All checks that lack an answer for the same reason are one paragraph. */
function unknownTexts({ checks, notRead }: PreflightReport, columns?: number): readonly string[] {
  const unknowns = checks.flatMap(({ id, asks, finding }) =>
    finding?.severity === "unknown" ? [{ id, finding, why: finding.evidence.replace(unknownPrefix(asks), "") }] : [],
  );
  return [...Map.groupBy(unknowns, ({ why }) => why)].map(([why, same]) => {
    const [first, ...others] = same;
    if (first === undefined) return "";
    const remedy = why === MAY_NOT_READ && notRead !== null ? notRead.remedy : first.finding.remedy;
    const evidence = why === MAY_NOT_READ && notRead !== null ? notRead.text : why;
    if (others.length === 0) return findingText({ ...first.finding, remedy }, columns);
    const shown = same.slice(0, MOST_NAMES).map(({ id }) => id);
    const left = same.length - shown.length;
    const names = `${shown.join(", ")}${left === 0 ? "" : ` and ${left} more`}`;
    return `${"UNKNOWN".padEnd(10)}${same.length} checks\n${foldText(`${names}: ${evidence}`, INDENT, columns)}${INDENT}do: ${foldText(remedy, `${INDENT}    `, columns).trimStart()}`;
  });
}

const MOST_NAMES = 6;

function unknownPrefix(asks: string): string {
  return `it is not known whether ${asks}: `;
}

/** A finding for people. */
export function findingText({ id, severity, evidence, remedy }: Finding, columns?: number): string {
  const said = foldText(evidence, INDENT, columns);
  const way = foldText(remedy, `${INDENT}    `, columns).trimStart();
  return `${WORDS[severity].padEnd(10)}${id}\n${said}${INDENT}do: ${way}`;
}

function summaryText(findings: readonly Finding[], passed: number): string {
  const count = (severity: Finding["severity"]): number => findings.filter((one) => one.severity === severity).length;
  const stopping = count("block") + count("wait");
  const parts = [
    stopping === 0 ? "nothing blocks" : `${stopping} ${stopping === 1 ? "blocks" : "block"}`,
    ...(count("consent") > 0 ? [`${count("consent")} to consent to`] : []),
    ...(count("unknown") > 0 ? [`${count("unknown")} not known`] : []),
    ...(count("warn") > 0 ? [`${count("warn")} ${count("warn") === 1 ? "note" : "notes"}`] : []),
    `${passed} passed`,
  ];
  return parts.join(", ");
}
