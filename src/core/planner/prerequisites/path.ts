import { patchCluster, patchClusterTag } from "../../api/kubectl.ts";
import { pathProblem, unknownPathProblem } from "../../releases/catalogue/path.ts";
import { block, warn } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

const ID = {
  Downgrade: "DowngradeRefused",
  BelowMinimum: "VersionBelowMinimum",
  ForbiddenStep: "StepForbidden",
} as const;

/** §9: minimum predecessor, never down, no step that is known to fail. */
export const pathIsAllowed = defineCheck({
  id: "UpgradePath",
  asks: "the step between the two releases is allowed",
  at: ["start"],
  needs: [],
  find({ view: { name }, step }) {
    if (step === undefined) return undefined;
    const { fromTag, from, to } = step;
    const problem = from === undefined ? unknownPathProblem(fromTag, to) : pathProblem(from, to);
    if (problem === undefined) return undefined;
    const remedy =
      problem.reason === "Downgrade"
        ? patchClusterTag(name, from?.nodeTag ?? fromTag)
        : `upgrade operator and cluster to ${problem.via ?? "an intermediate release"} first`;
    return block(ID[problem.reason], problem.message, remedy);
  },
});

/** A version that is in no release says neither where it may go nor what it needs: the user accepts it by its exact name. */
export const runningVersionIsKnown = defineCheck({
  id: "UnknownRunningVersion",
  asks: "the version that runs is in the catalogue, or is accepted by name",
  at: ["start"],
  needs: [],
  find({ view: { name, spec, release: operator }, step }) {
    if (step === undefined || step.from !== undefined) return undefined;
    const { fromTag, to } = step;
    const unknown = `nodes run "${fromTag}", which is in no release that operator ${operator.operator} knows`;
    const accepted = spec.upgradeSpec?.acceptUnknownVersion;
    if (accepted === fromTag) {
      return warn(
        "UnknownVersionAccepted",
        `${unknown}; spec.upgradeSpec.acceptUnknownVersion accepts the step to ${to.operator} without its prerequisites`,
        `when the upgrade has ended: ${patchCluster(name, acceptance(null))}`,
      );
    }
    const other = accepted === undefined ? "" : `; spec.upgradeSpec.acceptUnknownVersion names "${accepted}" instead`;
    return block(
      "UnknownRunningVersion",
      `${unknown}, so that nothing says whether ${to.operator} can follow it${other}`,
      `use an operator that knows "${fromTag}"; to go on without: ${patchCluster(name, acceptance(fromTag))}`,
    );
  },
});

function acceptance(acceptUnknownVersion: string | null): object {
  return { upgradeSpec: { acceptUnknownVersion } };
}
