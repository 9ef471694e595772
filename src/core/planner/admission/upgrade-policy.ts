import { callApi, patchCluster, patchDatabase } from "../../api/kubectl.ts";
import { DATABASE_SETTINGS } from "../../api/settings/database-settings.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { compareVersionText } from "#kit/base/version";
import { isMinorVersion } from "../../releases/catalogue/find.ts";

const LATEST = { storeUpgradePolicy: "latest" };
const LATEST_CALLED = { [DATABASE_SETTINGS.upgradePolicy.wireName]: "latest" };

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
  from: string,
  to: string,
): readonly (keyof UpgradePolicies)[] {
  if (!isMinorVersion(to) || (compareVersionText(to, from) ?? 0) <= 0) return [];
  return (["cluster", "database"] as const).filter((one) => policies[one] === "major");
}

/** The object whose policy keeps databases from a version. */
export interface AgainstVersion {
  /** Name of the cluster. */
  readonly cluster: string;
  /** The policy of the cluster does. */
  readonly byCluster: boolean;
  /** Databases whose own policy does. */
  readonly databases: readonly { readonly name: string; readonly uid: number }[];
}

/** Why databases are not moved to a minor version, with the commands that change it. */
export function policySentence(
  target: string,
  allowed: readonly string[],
  { cluster, byCluster, databases }: AgainstVersion,
): string {
  const said = [
    ...(byCluster ? [`the upgrade policy of cluster ${cluster} is "major": ${patchCluster(cluster, LATEST)}`] : []),
    ...databases.map(
      ({ name, uid }) =>
        `the upgrade policy of database "${name}" is "major": ${patchDatabase(name, LATEST)}; ` +
        `or where it has no object: ${callApi(cluster, "PUT", `/v1/bdbs/${uid}`, { body: LATEST_CALLED })}`,
    ),
  ];
  return `${target} is a minor version, and only ${allowed.join(", ")} are allowed: ${said.join("; ")}`;
}
