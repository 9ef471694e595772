import { commandOf } from "../../../core/planner/recovery/describe.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { Recovery } from "../../../core/planner/recovery/recovery.ts";
import type { Look } from "../access/look.ts";
import { foldText } from "../console/output.ts";

interface Recovering {
  readonly observation: Pick<Look["observation"], "view" | "namespace">;
}

/** What `storectl recover` proposes. */
export interface RecoverReport {
  readonly cluster: string;
  readonly namespace: string;
  readonly state: string;
  readonly version: string;
  /** Why the cluster itself did not answer; null when it did. */
  readonly unreachable: string | null;
  /** What goes on or waits without a user, one sentence each; none when the cluster and its databases are at rest. */
  readonly waits: readonly string[];
  readonly recoveries: readonly {
    readonly object: string;
    readonly rule: string;
    /** False for a warning, which holds nothing up today. */
    readonly blocks: boolean;
    readonly evidence: string;
    /** What is done, in order, as commands and calls; none when it is for a person to do, or something is needed first. */
    readonly does: readonly string[];
    readonly needs: string;
    readonly irreversible: string;
    readonly otherwise: string;
  }[];
}

/** What is known of the cluster, and what is proposed for it. */
export function recoverReport({ observation }: Recovering, recoveries: readonly Recovery[]): RecoverReport {
  const { name, remembered, cluster } = observation.view;
  return {
    cluster: name,
    namespace: observation.namespace,
    state: remembered.state ?? "",
    version: remembered.version ?? "",
    unreachable: cluster.reachable ? null : cluster.reason,
    waits: waitsOf(observation.view),
    recoveries: recoveries.map(({ acts, ...rest }) => ({ ...rest, does: acts.map((act) => commandOf(act, name)) })),
  };
}

/** A roll, and what databases wait for. */
function waitsOf({ remembered, cluster }: ClusterView): readonly string[] {
  const progress = remembered.conditions?.find(({ type, status }) => type === "Progressing" && status === "True");
  const { state = "Running" } = remembered;
  const roll = progress === undefined ? `STATE is ${state}` : `${progress.reason}: ${progress.message}`;
  const waiting = cluster.reachable ? cluster.databases.filter(({ waitingFor }) => waitingFor !== "") : [];
  return [
    ...(progress === undefined && state === "Running" ? [] : [roll]),
    ...waiting.map(({ name, waitingFor }) => `database "${name}": ${waitingFor}`),
  ];
}

const INDENT = "   ";
const WIDTH = 14;

/** The proposal for people. */
export function recoverTable(report: RecoverReport, columns?: number): string {
  const { cluster, namespace, state, version, unreachable, recoveries, waits } = report;
  const silence =
    unreachable === null ? "" : foldText(`The cluster itself does not answer: ${unreachable}`, "", columns);
  const head = `${namespace}/${cluster}: ${state} at ${version}\n`;
  if (recoveries.length === 0 && waits.length > 0)
    return `${head}\nNothing is there for you to clear, and this waits or goes on:\n${waits.map((one) => foldText(one, INDENT, columns)).join("")}${silence}`;
  if (recoveries.length === 0) return `${head}\nNothing blocks.\n${silence}`;
  return `${head}${silence}\n${recoveries.map((one, index) => paragraph(one, index, columns)).join("\n")}`;
}

function paragraph(recovery: RecoverReport["recoveries"][number], index: number, columns?: number): string {
  const { object, rule, blocks, evidence, does, needs, irreversible, otherwise } = recovery;
  return [
    `${index + 1}. ${object}: ${rule}\n`,
    foldText(evidence, INDENT, columns),
    row("warning", blocks ? "" : "nothing waits for it yet", columns),
    ...does.map((command) => `${INDENT}$ ${command}\n`),
    row("irreversible", irreversible, columns),
    row("needs", needs, columns),
    row(does.length === 0 && needs === "" ? "by hand" : "note", otherwise, columns),
  ].join("");
}

function row(title: string, text: string, columns?: number): string {
  return text === ""
    ? ""
    : `${INDENT}${title.padEnd(WIDTH)}${foldText(text, `${INDENT}${" ".repeat(WIDTH)}`, columns).trimStart()}`;
}
