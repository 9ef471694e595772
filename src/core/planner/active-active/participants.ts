import { applyBundle, deleteActiveActive, getObjects } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { compareVersionText } from "#kit/base/version";
import { wait, type FindingOf } from "../findings/finding.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";

/** §9: the oldest operator that a participant may have when the database gets another version. */
const OLDEST_OPERATOR = "8.0.2-2";

/** Why a remote cluster said nothing, and what clears that. */
export type SiteUnreachable = FindingOf<
  | "RemoteClusterMissing"
  | "RemoteClusterInvalid"
  | "SecretMissing"
  | "CredentialsRefused"
  | "CertificateRefused"
  | "Unreachable"
>;

/** What a participant said when it was last asked. */
export type ParticipantAnswer =
  | { readonly answers: false; readonly finding: SiteUnreachable }
  | {
      readonly answers: true;
      /** Version of its operator; undefined while that has not said so. */
      readonly operator: string | undefined;
      /** Node tags of its nodes. */
      readonly nodeTags: readonly string[];
    };

export interface Participant {
  /** Of the remote cluster that stands for it. */
  readonly name: string;
  readonly word: ParticipantAnswer;
  /** All of its nodes have said that they serve a site of several shards. */
  readonly knowsSlices: boolean;
  /** The database that it has from when it took part before, without knowing that it does again. */
  readonly formerly?: string;
}

/** Why one participant blocks another version; undefined when nothing does. */
export function participantFinding({ name, word, formerly }: Participant): Finding | undefined {
  if (formerly !== undefined) {
    return wait(
      "NotParticipating",
      `participant "${name}" was taken out before and has its database of then; it stays out until that is deleted there`,
      `in the namespace of the cluster of "${name}": ${deleteActiveActive(formerly)}`,
    );
  }
  if (!word.answers) {
    const { id, evidence, remedy } = word.finding;
    return wait(id, `participant "${name}" cannot be asked: ${evidence}`, remedy);
  }
  const { operator, nodeTags } = word;
  if (operator !== undefined) {
    return isTooOld(operator) ? tooOld(name, `its operator is ${operator}`) : undefined;
  }
  const old = nodeTags.find((tag) => isTooOld(releaseByNodeTag(tag)?.operator ?? tag));
  if (old !== undefined) return tooOld(name, `its operator has not said what it is, and its nodes run ${old}`);
  return wait(
    "OperatorUnknown",
    `the operator of participant "${name}" has not said which version it is`,
    `make a StoreEnterpriseRemoteCluster "${name}" there too, beside its own cluster: ${getObjects("rerc")}`,
  );
}

/** Everything that stands in the way of another version, the first participant first (§9). */
export function participantFindings(participants: readonly Participant[]): readonly Finding[] {
  return participants.map(participantFinding).filter((one) => one !== undefined);
}

function tooOld(name: string, evidence: string): Finding {
  return wait(
    "OperatorTooOld",
    `participant "${name}": ${evidence}; every participant needs ${OLDEST_OPERATOR} or later before the version changes`,
    `upgrade operator and cluster of "${name}": ${applyBundle()}`,
  );
}

function isTooOld(version: string): boolean {
  return (compareVersionText(version, OLDEST_OPERATOR) ?? -1) < 0;
}
