import { DATABASE_VERSIONS, STORE_VERSIONS, type StoreVersion } from "../../api/records.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { compareVersionText } from "#kit/base/version";
import { CATALOGUE } from "./catalogue.ts";
import type { Release } from "./release.ts";

/** The release of an operator version, a leading `v` allowed; undefined when the catalogue does not know it. */
export function releaseByOperator(version: string): Release | undefined {
  return CATALOGUE.find((release) => release.operator === version.replace(/^v/, ""));
}

/** The release that a node image tag belongs to, `.minimal` variants included; undefined when unknown. */
export function releaseByNodeTag(tag: string): Release | undefined {
  const plain = tag.replace(/\.minimal$/, "");
  return CATALOGUE.find((release) => release.nodeTag === plain || release.rebuiltNodeTags.includes(plain));
}

/** The release with the highest version, whatever the dates say. */
export function latestRelease(): Release {
  return CATALOGUE.reduce((best, next) => ((compareVersionText(next.operator, best.operator) ?? 0) > 0 ? next : best));
}

/** The database versions that this release carries and the contract supports (§2.3), oldest first. */
export function supportedStoreVersions(release: Release): readonly StoreVersion[] {
  return STORE_VERSIONS.filter((version) => release.databases.some((bundled) => bundled.version === version));
}

/** The database versions that this release can run, oldest first: also one that may not be requested any more. */
export function carriedVersions(release: Release): readonly StoreVersion[] {
  return DATABASE_VERSIONS.filter((version) => release.databases.some((bundled) => bundled.version === version));
}

/** The version that a database gets when it asks for none: the newest one of this release that its policy allows (§2.2). */
export function defaultStoreVersion(release: Release, policy: SettingValues["upgradePolicy"]): StoreVersion {
  const supported = supportedStoreVersions(release);
  return (policy === "major" ? majorVersions(supported) : supported).at(-1) ?? "7.2";
}

/** The first version of each line, for instance "7.2" and "8.0": all that the policy `major` lets databases move to (§2.2). */
export function majorVersions(versions: readonly StoreVersion[]): readonly StoreVersion[] {
  return versions.filter((version) => !isMinorVersion(version));
}

/** Whether a version comes after the first one of its line. */
export function isMinorVersion(version: string): boolean {
  const line = (text: string): string => text.split(".", 1)[0] ?? "";
  return STORE_VERSIONS.find((first) => line(first) === line(version)) !== version;
}
