import type { UpgradePath } from "../../../core/planner/upgrade-path/plan.ts";
import type { PlanStep } from "../../../core/planner/upgrade-path/step.ts";
import type { MissingEdge } from "../../../core/planner/upgrade-path/search.ts";
import type { PathFacts } from "../../../core/planner/upgrade-path/state.ts";
import { foldText } from "../console/output.ts";

/** What `storectl plan` answers. */
export interface PlanReport {
  readonly cluster: string;
  readonly from: {
    readonly operator: string;
    readonly nodeTag: string;
    readonly kubernetes: string | null;
    readonly databases: readonly { readonly name: string; readonly version: string }[];
  };
  readonly to: string;
  readonly possible: boolean;
  readonly steps: readonly PlanStep[];
  /** Why there is no way; empty when there is one. */
  readonly missing: readonly MissingEdge[];
  /** What could not be looked at: the plan may lack steps for it. */
  readonly unknown: readonly string[];
}

/** `unreachable`: why the cluster did not tell its databases; empty when it did. */
export function planReport(facts: PathFacts, to: string, plan: UpgradePath, unreachable: string): PlanReport {
  return {
    cluster: facts.cluster,
    from: {
      operator: facts.operator,
      nodeTag: facts.nodeTag,
      kubernetes: facts.kubernetes ?? null,
      databases: facts.databases.map(({ name, version }) => ({ name, version })),
    },
    to,
    possible: plan.possible,
    steps: plan.possible ? plan.steps : [],
    missing: plan.possible ? [] : plan.missing,
    unknown: [
      ...(unreachable === "" ? [] : [`databases and modules: ${unreachable}`]),
      ...(facts.kubernetes === undefined ? ["the version of Kubernetes: the API server did not tell it"] : []),
    ],
  };
}

const INDENT = "   ";
const WIDTH = 14;

/** The plan for people. */
export function planTable(
  { cluster, from, to, possible, steps, missing, unknown }: PlanReport,
  columns?: number,
): string {
  const databases = from.databases.map(({ name, version }) => `"${name}" ${version}`).join(", ");
  const said =
    `${cluster}: operator ${from.operator}, nodes ${from.nodeTag}, Kubernetes ${from.kubernetes ?? "unknown"}, ` +
    `databases ${databases !== "" ? databases : unknown.length > 0 ? "unknown" : "none"}`;
  const head = `${foldText(said, "", columns)}\n`;
  const gaps = unknown.map((what) => foldText(`Not known: ${what}`, "", columns)).join("");
  if (!possible && missing.length === 0) return `${head}The way to ${to} is not known.\n${gaps}`;
  if (!possible) return `${head}There is no way to ${to}:\n${missing.map((one) => gap(one, columns)).join("")}${gaps}`;
  if (steps.length === 0) return `${head}The cluster is at ${to} already. There is nothing to do.\n${gaps}`;
  return `${head}${steps.map((step, index) => paragraph(step, index, columns)).join("\n")}\n${summary(steps, to)}\n${gaps}`;
}

function gap({ at, move, why }: MissingEdge, columns?: number): string {
  return foldText(`${move} is not possible at ${at}: ${why}`, INDENT, columns);
}

function paragraph(step: PlanStep, index: number, columns?: number): string {
  const rows: readonly (readonly [title: string, text: string])[] = [
    ["restarts", step.restarts],
    ["pauses", step.pauses],
    ["irreversible", step.irreversible],
    ["consent", step.consent],
    ...step.notes.map((note) => ["note", note] as const),
  ];
  return [
    `${index + 1}. ${step.stage}: ${step.from} -> ${step.to}\n`,
    foldText(step.does, INDENT, columns),
    ...rows.filter(([, text]) => text !== "").map(([title, text]) => row(title, text, columns)),
    ...step.commands.map((command) => `${INDENT}$ ${command}\n`),
  ].join("");
}

function row(title: string, text: string, columns?: number): string {
  return `${INDENT}${title.padEnd(WIDTH)}${foldText(text, `${INDENT}${" ".repeat(WIDTH)}`, columns).trimStart()}`;
}

function summary(steps: readonly PlanStep[], to: string): string {
  const final = steps.filter(({ irreversible }) => irreversible !== "").length;
  const consents = steps.filter(({ consent }) => consent !== "").length;
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  return `${count}: ${final} cannot be undone, ${consents} need consent.\nBefore each step, run: storectl preflight --to ${to}`;
}
