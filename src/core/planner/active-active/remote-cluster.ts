import type { Finding } from "../../api/parts.ts";
import { conditionWords, type Statement } from "../findings/statement.ts";
import type { ParticipantAnswer } from "./participants.ts";

/** What the status of a remote cluster says of it. */
export interface RemoteClusterVerdict {
  readonly status: "Active" | "Error";
  readonly specStatus: "Valid" | "Invalid";
  readonly reachable: Statement;
  readonly findings: readonly Finding[];
}

/** Whether a remote cluster answers, and what clears it when it does not. */
export function evaluateRemoteCluster(objections: readonly Finding[], word: ParticipantAnswer): RemoteClusterVerdict {
  const [objection] = objections;
  const specStatus = objection === undefined ? "Valid" : "Invalid";
  if (objection !== undefined) {
    return { status: "Error", specStatus, reachable: unreachable(objection), findings: objections };
  }
  if (!word.answers) {
    return { status: "Error", specStatus, reachable: unreachable(word.finding), findings: [word.finding] };
  }
  const said =
    word.operator === undefined ? "its operator has not said what it is" : `its operator is ${word.operator}`;
  const reachable = { type: "Reachable", status: "True", reason: "Active", message: `it answers; ${said}` } as const;
  return { status: "Active", specStatus, reachable, findings: [] };
}

function unreachable(finding: Finding): Statement {
  return { type: "Reachable", status: "False", ...conditionWords(finding) };
}
