import type { Finding } from "../../api/parts.ts";
import type { Statement } from "../findings/statement.ts";
import { sentenceOf, wait } from "../findings/finding.ts";
import type { ParticipantAnswer } from "./participants.ts";

/** What the status of a remote cluster says of it. */
export interface RemoteClusterVerdict {
  readonly status: "Active" | "Error";
  readonly specStatus: "Valid" | "Invalid";
  readonly reachable: Statement;
}

/** Whether a remote cluster answers, and what clears it when it does not. */
export function evaluateRemoteCluster(objections: readonly Finding[], word: ParticipantAnswer): RemoteClusterVerdict {
  const [objection] = objections;
  const specStatus = objection === undefined ? "Valid" : "Invalid";
  if (objection !== undefined) {
    return { status: "Error", specStatus, reachable: reachable("False", objection.id, sentenceOf(objection)) };
  }
  if (!word.answers) {
    const message = sentenceOf(wait(word.reason, word.message, word.remedy));
    return { status: "Error", specStatus, reachable: reachable("False", word.reason, message) };
  }
  const said =
    word.operator === undefined ? "its operator has not said what it is" : `its operator is ${word.operator}`;
  return { status: "Active", specStatus, reachable: reachable("True", "Active", `it answers; ${said}`) };
}

function reachable(status: "True" | "False", reason: string, message: string): Statement {
  return { type: "Reachable", status, reason, message };
}
