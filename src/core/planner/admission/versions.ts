import { patchCluster, patchObject } from "../../api/kubectl.ts";
import { compareVersionText } from "#kit/base/version";
import { majorVersions, supportedStoreVersions } from "../../releases/catalogue/find.ts";
import { clusterOfReviewed, type ReviewedDatabase } from "./reviewed-database.ts";
import { forbiddenValue, unsupportedValue, type Objection } from "./objection.ts";
import { policiesAgainst } from "./upgrade-policy.ts";

/** §2.3: one of the versions that the release carries. */
export function versionIsSupported({ kind, name, at, spec, references }: ReviewedDatabase): readonly Objection[] {
  const supported = supportedStoreVersions(references.release);
  if (spec.storeVersion === undefined || supported.includes(spec.storeVersion)) return [];
  const remedy = `${patchVersion(kind, name, at, supported.at(-1) ?? "")} (release ${references.release.operator})`;
  return [unsupportedValue(`${at}.storeVersion`, spec.storeVersion, supported, remedy, "IncompatibleDatabaseVersion")];
}

/** A database that is upgraded is never taken back; for an object at rest, the caller reports the difference as drift. */
export function noDowngrade({ kind, name, at, spec, before, existing }: ReviewedDatabase): readonly Objection[] {
  const [asked, has] = [spec.storeVersion, existing?.storeVersion];
  if (before === undefined || asked === before.storeVersion || asked === undefined || has === undefined) return [];
  if ((compareVersionText(asked, has) ?? 0) >= 0) return [];
  const why = `the database is at ${has}, and databases never go back to "${asked}"`;
  return [forbiddenValue(`${at}.storeVersion`, why, patchVersion(kind, name, at, has), "DowngradeRefused")];
}

/** §2.2: under the policy `major` of its cluster or of its own a database is not moved to minor versions. */
export function policyAllowsVersion(facts: ReviewedDatabase): readonly Objection[] {
  const { kind, name, at, spec, existing, references } = facts;
  const cluster = clusterOfReviewed(facts);
  const [asked, has] = [spec.storeVersion, existing?.storeVersion];
  if (asked === undefined || has === undefined) return [];
  const place = `${kind === "reaadb" ? "spec.globalConfigurations" : at}.storeUpgradePolicy`;
  const policies = { cluster: cluster?.upgradePolicy, database: spec.storeUpgradePolicy };
  const against = policiesAgainst(policies, has, asked).map((one) =>
    one === "cluster" && cluster !== undefined
      ? {
          said: `spec.storeUpgradePolicy of cluster ${cluster.name}`,
          change: patchCluster(cluster.name, { storeUpgradePolicy: "latest" }),
        }
      : { said: `${place} of ${kind} ${name}`, change: patchField(kind, name, place, "latest") },
  );
  if (against.length === 0) return [];
  const majors = majorVersions(supportedStoreVersions(references.release));
  const target = majors.find((version) => (compareVersionText(version, has) ?? 0) > 0);
  const why =
    `"${asked}" is a minor version and ${against.map(({ said }) => said).join(" and ")} is "major", which allows ` +
    majors.map((version) => `"${version}"`).join(", ");
  const changes = against.map(({ change }) => change).join("; and ");
  const remedy = target === undefined ? changes : `${changes}; or ${patchVersion(kind, name, at, target)}`;
  return [forbiddenValue(`${at}.storeVersion`, why, remedy, "UpgradePolicyMajor")];
}

/** The command that asks for a version, in the place where this object has it. */
function patchVersion(kind: ReviewedDatabase["kind"], name: string, at: string, version: string): string {
  return patchField(kind, name, `${at}.storeVersion`, version);
}

function patchField(kind: ReviewedDatabase["kind"], name: string, field: string, value: string): string {
  const body = field.split(".").reduceRight<object | string>((inner, key) => ({ [key]: inner }), value);
  return patchObject(kind, name, Object(body));
}
