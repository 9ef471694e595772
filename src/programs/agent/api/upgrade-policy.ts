import type { DatabaseRecord, StoreVersion } from "../../../core/api/records.ts";
import type { SettingValues } from "../../../core/api/settings/types.ts";
import { patchCluster, patchDatabase } from "../../../core/api/kubectl.ts";
import { policiesAgainst, strictest } from "../../../core/planner/admission/upgrade-policy.ts";
import { majorVersions, supportedStoreVersions } from "../../../core/releases/catalogue/find.ts";
import type { Records } from "../records/records.ts";
import type { CheckContext } from "./checks.ts";
import { refusals, refuse } from "./refusals.ts";

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
  const { cluster } = context.config;
  const changes = {
    cluster: `the upgrade policy of cluster ${cluster} is "major": ${patchCluster(cluster, LATEST)}`,
    database:
      `the upgrade policy of database "${record.name}" is "major": ${patchDatabase(record.name, LATEST)}, ` +
      `or PUT /v1/bdbs/${record.uid} where it has no object`,
  };
  const allowed = majorVersions(supportedStoreVersions(context.config.release)).join(", ");
  throw refuse(
    refusals.policyMajor,
    `${target} is a minor version, and only ${allowed} are allowed: ${against.map((one) => changes[one]).join("; ")}`,
  );
}

const LATEST = { storeUpgradePolicy: "latest" };
