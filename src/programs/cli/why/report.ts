import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Stored } from "#kit/kube/kube";
import type { Look } from "../access/look.ts";
import { foldText } from "../console/output.ts";
import type { WhyAnswer } from "./answer.ts";

/** What `storectl why` answers. */
export interface WhyReport {
  readonly cluster: string;
  readonly namespace: string;
  readonly state: string;
  readonly version: string;
  readonly databases: number;
  /** The moment of the look. */
  readonly at: string;
  readonly answers: readonly WhyAnswer[];
}

export function whyReport(
  { observation, environment }: Look,
  databases: readonly Stored<StoreEnterpriseDatabase>[],
  answers: readonly WhyAnswer[],
): WhyReport {
  const { remembered, name } = observation.view;
  return {
    cluster: name,
    namespace: observation.namespace,
    state: remembered.state ?? "",
    version: remembered.version ?? "",
    databases: databases.length,
    at: environment.now?.read === true ? environment.now.value : "",
    answers,
  };
}

const INDENT = "   ";

const HEADINGS = {
  blocks: "",
  warns: "Warnings, for which nothing waits yet:\n\n",
  unknown: "Not known:\n\n",
} as const satisfies Record<WhyAnswer["level"], string>;
const LEVELS = ["blocks", "warns", "unknown"] as const satisfies readonly WhyAnswer["level"][];

/** The answers for people. */
export function whyTable(report: WhyReport, columns?: number): string {
  const parts = LEVELS.flatMap((level) => {
    const texts = report.answers.filter((one) => one.level === level).map((one) => answerText(one, report.at, columns));
    return texts.length === 0 ? [] : [`${HEADINGS[level]}${texts.join("\n")}`];
  });
  return [...verdict(report), ...parts].join("\n");
}

/** What holds when nothing stands in the way; nothing is said of what was not looked at. */
function verdict({ cluster, state, version, databases, answers }: WhyReport): readonly string[] {
  if (answers.some(({ level }) => level !== "warns")) return [];
  const what = databases === 1 ? "its database" : `its ${databases} databases`;
  const waits = databases === 0 ? "It waits for nothing" : `It and ${what} wait for nothing`;
  const is = `cluster ${cluster} is ${state} at ${version}. ${waits}.`;
  return [`${answers.length === 0 ? "Nothing is wrong" : "Nothing blocks"}: ${is}\n`];
}

function answerText({ object, rule, evidence, since, clears }: WhyAnswer, at: string, columns?: number): string {
  const age = since === "" ? "" : `, since ${since}${ago(since, at)}`;
  const way = foldText(clears, `${INDENT}    `, columns).trimStart();
  return `${object}: ${rule}${age}\n${foldText(evidence, INDENT, columns)}${INDENT}do: ${way}`;
}

function ago(since: string, at: string): string {
  const seconds = Math.round((Date.parse(at) - Date.parse(since)) / 1_000);
  if (!Number.isFinite(seconds) || seconds < 0) return "";
  const minutes = Math.floor(seconds / 60);
  return ` (${minutes === 0 ? `${seconds} s` : minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`})`;
}
