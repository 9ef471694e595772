import type { StoreVersion } from "../../api/records.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { compareVersionText } from "../../base/version.ts";
import { isMinorVersion } from "../../releases/catalogue/find.ts";

type UpgradePolicy = SettingValues["upgradePolicy"];

/** What cluster and database say about the versions that the database may be moved to (§2.2); undefined where nothing is said. */
export interface UpgradePolicies {
  readonly cluster: UpgradePolicy | undefined;
  readonly database: UpgradePolicy | undefined;
}

/** The policy that holds for a database: `major` of either is enough. */
export function strictest({ cluster, database }: UpgradePolicies): UpgradePolicy {
  return cluster === "major" || database === "major" ? "major" : "latest";
}

/** Which of both keep a database at `from` from moving to `to`, a minor version; none when it may. */
export function policiesAgainst(
  policies: UpgradePolicies,
  from: StoreVersion,
  to: StoreVersion,
): readonly (keyof UpgradePolicies)[] {
  if (!isMinorVersion(to) || (compareVersionText(to, from) ?? 0) <= 0) return [];
  return (["cluster", "database"] as const).filter((one) => policies[one] === "major");
}
