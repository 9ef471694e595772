import { patchClusterTag } from "../../api/kubectl.ts";
import { pathProblem } from "../../releases/catalogue/path.ts";
import { block } from "../findings/finding.ts";
import type { Check } from "./check.ts";

const ID = {
  Downgrade: "DowngradeRefused",
  BelowMinimum: "VersionBelowMinimum",
  ForbiddenStep: "StepForbidden",
} as const;

/** §9: minimum predecessor, never down, no step that is known to fail. */
export const pathIsAllowed: Check = {
  id: "UpgradePath",
  asks: "the step between the two releases is allowed",
  at: ["start"],
  needs: [],
  find({ view: { name }, step }) {
    const problem = step && pathProblem(step.from, step.to);
    if (problem === undefined) return undefined;
    const remedy =
      problem.reason === "Downgrade"
        ? patchClusterTag(name, step?.from.nodeTag ?? "")
        : `upgrade operator and cluster to ${problem.via ?? "an intermediate release"} first`;
    return block(ID[problem.reason], problem.message, remedy);
  },
};
