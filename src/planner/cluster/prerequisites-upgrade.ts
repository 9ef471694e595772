import type { Finding } from "../../api/parts.ts";
import { compareVersionText } from "../../base/version.ts";
import { kubernetesSupport } from "../../releases/find.ts";
import { pathProblem } from "../../releases/path.ts";
import type { Release } from "../../releases/release.ts";
import { versionChange, type VersionChange } from "./target.ts";
import type { ClusterView } from "./view.ts";

/** A step between two known releases. */
interface Step {
  readonly from: Release;
  readonly to: Release;
}

type UpgradeRule = (view: ClusterView, step: Step) => Finding | undefined;

const RULES: readonly UpgradeRule[] = [
  pathIsAllowed,
  kubernetesIsSupported,
  kubernetesIsNotDeprecated,
  userModulesAreSupported,
  licenseIsValid,
  databasesAreNewEnough,
];

/** What the contract asks before a cluster moves to another release (§9); empty when no release is left or entered. */
export function upgradeFindings(view: ClusterView): readonly Finding[] {
  const change = versionChange(view);
  const step = change === undefined ? undefined : knownStep(change);
  if (step === undefined) return [];
  return RULES.map((rule) => rule(view, step)).filter((finding) => finding !== undefined);
}

/** An unknown tag is an objection of its own. */
function knownStep({ from, to }: VersionChange): Step | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}

function pathIsAllowed({ name }: ClusterView, { from, to }: Step): Finding | undefined {
  const problem = pathProblem(from, to);
  if (problem === undefined) return undefined;
  const id = { Downgrade: "DowngradeRefused", BelowMinimum: "VersionBelowMinimum", ForbiddenStep: "StepForbidden" };
  const tag = problem.reason === "Downgrade" ? from.nodeTag : undefined;
  const remedy =
    tag === undefined
      ? `upgrade operator and cluster to ${problem.via ?? "an intermediate release"} first`
      : `kubectl patch rec ${name} --type merge -p '{"spec":{"storeEnterpriseImageSpec":{"versionTag":"${tag}"}}}'`;
  return { id: id[problem.reason], severity: "block", evidence: problem.message, remedy };
}

function kubernetesIsSupported({ kubernetesMinor: minor }: ClusterView, { from, to }: Step): Finding | undefined {
  const without =
    minor === undefined ? [] : [from, to].filter((one) => kubernetesSupport(one, minor) === "unsupported");
  const first = without[0];
  if (first === undefined) return undefined;
  return {
    id: "KubernetesVersionUnsupported",
    severity: "block",
    evidence: `Kubernetes ${minor} is not supported by ${without.map(({ operator }) => operator).join(" nor by ")}`,
    remedy: `bring Kubernetes to one of ${first.kubernetes.supported.join(", ")}, or choose another release`,
  };
}

function kubernetesIsNotDeprecated({ kubernetesMinor: minor }: ClusterView, { to }: Step): Finding | undefined {
  if (minor === undefined || kubernetesSupport(to, minor) !== "deprecated") return undefined;
  return {
    id: "KubernetesVersionDeprecated",
    severity: "warn",
    evidence: `Kubernetes ${minor} is deprecated for ${to.operator}`,
    remedy: `plan to bring Kubernetes to one of ${to.kubernetes.supported.join(", ")}`,
  };
}

function userModulesAreSupported({ spec }: ClusterView, { to }: Step): Finding | undefined {
  const modules = spec.userDefinedModules ?? [];
  if (modules.length === 0 || to.userModules !== "unsupported") return undefined;
  return {
    id: "UserModulesUnsupported",
    severity: "block",
    evidence: `${to.operator} cannot take user-defined modules (${modules.map(({ name }) => name).join(", ")})`,
    remedy: "skip this release: upgrade the operator to 8.0.6-8 or later",
  };
}

function licenseIsValid({ cluster }: ClusterView): Finding | undefined {
  if (!cluster.reachable || !cluster.license.expired) return undefined;
  return {
    id: "LicenseInvalid",
    severity: "block",
    evidence: `the licence expired on ${cluster.license.expirationDate}`,
    remedy: "install a valid licence (PUT /v1/license); the upgrade then goes on by itself",
  };
}

function databasesAreNewEnough({ cluster }: ClusterView, { to }: Step): Finding | undefined {
  const minimum = to.minDatabase;
  if (!cluster.reachable || minimum === undefined) return undefined;
  const old = cluster.databases.filter(({ storeVersion }) => (compareVersionText(storeVersion, minimum) ?? 0) < 0);
  if (old.length === 0) return undefined;
  return {
    id: "IncompatibleDatabaseVersion",
    severity: "block",
    evidence:
      `${to.operator} needs databases of version ${minimum} or later; ` +
      old.map(({ name, storeVersion }) => `"${name}" is ${storeVersion}`).join(", "),
    remedy: `upgrade each with POST /v1/bdbs/<uid>/upgrade {"store_version":"${minimum}"}, then set spec.storeVersion of its REDB`,
  };
}
