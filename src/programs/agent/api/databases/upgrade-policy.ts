import type { DatabaseRecord, StoreVersion } from "../../../../core/api/records.ts";
import type { SettingValues } from "../../../../core/api/settings/types.ts";
import { policiesAgainst, policySentence, strictest } from "../../../../core/planner/admission/upgrade-policy.ts";
import { majorVersions, supportedStoreVersions } from "../../../../core/releases/catalogue/find.ts";
import type { Records } from "../../records/records.ts";
import type { CheckContext } from "./checks.ts";
import { refusals, refuse } from "../http/refusals.ts";

type UpgradePolicy = SettingValues["upgradePolicy"];

/** The policy that holds for a database with this setting, in this cluster. */
export function policyFor(records: Pick<Records, "state">, database: UpgradePolicy): UpgradePolicy {
  return strictest({ cluster: records.state()?.upgradePolicy, database });
}

/** Refuses a minor version while the policy of the cluster or of the database is `major` (§2.2). */
export function requirePolicy(context: CheckContext, record: DatabaseRecord, target: StoreVersion): void {
  const policies = { cluster: context.records.state()?.upgradePolicy, database: record.upgradePolicy };
  const against = policiesAgainst(policies, record.storeVersion, target);
  if (against.length === 0) return;
  const sentence = policySentence(target, majorVersions(supportedStoreVersions(context.config.release)), {
    cluster: context.config.cluster,
    byCluster: against.includes("cluster"),
    databases: against.includes("database") ? [record] : [],
  });
  throw refuse(refusals.policyMajor, sentence);
}
