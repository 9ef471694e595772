import { applyBundle, describeObject, listPermissions } from "../../api/kubectl.ts";
import { grantCommand, permissionsText, restoringPatch } from "../../releases/permissions/restore.ts";
import type { MissingPermission } from "../../releases/permissions/roles.ts";
import { block, wait, type FindingOf } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";
import type { CheckInput } from "./check-input.ts";
import { admitByQuota } from "./exceeded-quota.ts";

/** Every permission that is lacking has this id, for operator, nodes and rigger. */
export const PERMISSIONS_MISSING = "PermissionsMissing";

/** Only a user can grant the operator what it lacks. */
export const operatorIsPermitted = defineCheck({
  id: PERMISSIONS_MISSING,
  asks: "the operator has its permissions",
  at: ["write"],
  needs: ["permissions"],
  find: ({ environment, view }) => {
    const lacking = missingOf(environment).filter(({ who, spare }) => who === "operator" && spare !== true);
    return lacking.length === 0 ? undefined : operatorFinding(lacking, view.release.operator);
  },
});

/** The operator gives nodes and rigger what they lack, and touches no node until they have it. */
export const clusterIsPermitted = defineCheck({
  id: "ClusterPermissionsMissing",
  asks: "nodes and rigger have their permissions",
  at: ["write"],
  needs: ["permissions"],
  find: ({ environment }) => {
    const lacking = missingOf(environment).filter(({ who }) => who !== "operator");
    if (lacking.length === 0) return undefined;
    const roles = Map.groupBy(lacking, ({ role }) => role);
    const remedies = [...roles.values()].map(
      (of) => restoringPatch(of) ?? describeObject(`role,rolebinding ${at(of)}`),
    );
    return wait(
      PERMISSIONS_MISSING,
      [...roles.values()].map(permissionsText).join("; "),
      `the operator writes the Role again, unless it is removed again; by hand: ${remedies.join("; ")}`,
    );
  },
});

/** What the operator itself lacks. Release: whose bundle restores it. */
export function operatorFinding(
  lacking: readonly MissingPermission[],
  release: string,
): FindingOf<"PermissionsMissing"> {
  const { namespace = "", home = namespace } = lacking[0] ?? {};
  const whole =
    home === namespace
      ? `apply the bundle of release ${release} again: ${applyBundle(`-n ${namespace}`)}`
      : grantCommand(namespace, home);
  return block(PERMISSIONS_MISSING, permissionsText(lacking), restoringPatch(lacking) ?? whole);
}

/** A refusal that no missing permission explains: a quota, an admission policy, or a rule that changed just now. */
export function refusalFinding(message: string, namespace: string, account: string): FindingOf<"RequestForbidden"> {
  return block(
    "RequestForbidden",
    message,
    admitByQuota(message) ??
      "look for a quota or an admission policy that refuses it, and at what the operator may do: " +
        listPermissions(namespace, account),
  );
}

function missingOf({ permissions }: CheckInput["environment"]): readonly MissingPermission[] {
  return permissions?.read === true ? permissions.value : [];
}

function at([first]: readonly MissingPermission[]): string {
  return `${first?.role ?? ""} -n ${first?.namespace ?? ""}`;
}
