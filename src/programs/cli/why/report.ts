import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import type { Look } from "../site/look.ts";
import { folded } from "../console/output.ts";
import type { WhyAnswer } from "./answers.ts";

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

/** The answers for people. */
export function whyTable({ cluster, state, version, databases, at, answers }: WhyReport): string {
  if (answers.length === 0) {
    const what = databases === 1 ? "1 database" : `${databases} databases`;
    return `Nothing is wrong: cluster ${cluster} is ${state} at ${version}, and nothing waits on it or its ${what}.\n`;
  }
  return answers
    .map(({ object, rule, evidence, since, clears }) => {
      const age = since === "" ? "" : `, since ${since}${ago(since, at)}`;
      const way = folded(clears, `${INDENT}    `).trimStart();
      return `${object}: ${rule}${age}\n${folded(evidence, INDENT)}${INDENT}do: ${way}`;
    })
    .join("\n");
}

function ago(since: string, at: string): string {
  const seconds = Math.round((Date.parse(at) - Date.parse(since)) / 1_000);
  if (!Number.isFinite(seconds) || seconds < 0) return "";
  const minutes = Math.floor(seconds / 60);
  return ` (${minutes === 0 ? `${seconds} s` : minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`})`;
}
