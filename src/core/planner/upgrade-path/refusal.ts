import { STORE_VERSIONS } from "../../api/records.ts";
import { distributionSupport } from "../../releases/catalogue/distribution.ts";
import { majorVersions, supportedStoreVersions } from "../../releases/catalogue/find.ts";
import { pathProblem } from "../../releases/catalogue/path.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { policiesAgainst, policySentence } from "../admission/upgrade-policy.ts";
import { isOlder, versionsAt, type PathFacts, type PathState, type Move } from "./state.ts";

/** Why a move is not possible at a place, as a sentence; undefined when it is. The one word on every step of a plan. */
export function refusal(state: PathState, move: Move, facts: PathFacts): string | undefined {
  switch (move.stage) {
    case "operator":
      return operatorRefusal(state, move.to, facts);
    case "cluster":
      return clusterRefusal(state, move.to, facts);
    case "kubernetes":
      return kubernetesRefusal(state, move.to, facts);
    case "databases":
      return databasesRefusal(state, move.to, facts);
  }
}

function operatorRefusal(state: PathState, to: Release, facts: PathFacts): string | undefined {
  const { operator, cluster } = state;
  if (cluster.operator !== operator.operator) {
    return `the cluster is still at ${cluster.operator} and follows its operator, ${operator.operator}, first`;
  }
  return (
    pathProblem(operator, to)?.message ??
    unsupportedText(state.kubernetes, [operator, to], facts) ??
    modulesRefused(to, facts) ??
    databasesTooOld(state, to, facts)
  );
}

/** The cluster follows its operator, one release at a time (§4.3 rule 6). */
function clusterRefusal(state: PathState, to: Release, facts: PathFacts): string | undefined {
  const { operator, cluster } = state;
  if (to.operator !== operator.operator) return `the operator is ${operator.operator}, and a cluster takes its release`;
  return (
    pathProblem(cluster, to)?.message ??
    unsupportedText(state.kubernetes, [cluster, to], facts) ??
    modulesRefused(to, facts) ??
    databasesTooOld(state, to, facts)
  );
}

/** Minors are never skipped, and the operator lives through the change. */
function kubernetesRefusal(
  { kubernetes, operator, cluster }: PathState,
  to: string,
  facts: PathFacts,
): string | undefined {
  if (kubernetes === undefined) return "the version of Kubernetes is not known";
  if (to !== nextMinor(kubernetes))
    return `Kubernetes goes from ${kubernetes} to ${nextMinor(kubernetes)}, never further`;
  if (cluster.operator !== operator.operator) return `the cluster follows its operator, ${operator.operator}, first`;
  return unsupportedText(kubernetes, [operator], facts) ?? unsupportedText(to, [operator], facts);
}

function databasesRefusal(state: PathState, to: string, facts: PathFacts): string | undefined {
  if (!STORE_VERSIONS.some((version) => version === to)) {
    return `databases can be at ${STORE_VERSIONS.join(", ")}, not at ${to}`;
  }
  if (!versionsAt(state, facts).some((version) => isOlder(version, to))) return `no database is older than ${to}`;
  if (!carries(state.cluster, to)) return `${state.cluster.operator} does not carry databases of version ${to}`;
  return policyRefusal(state, to, facts);
}

/** §2.2: a database that the policy keeps from the version keeps the move from being made. */
function policyRefusal(state: PathState, to: string, facts: PathFacts): string | undefined {
  const versions = versionsAt(state, facts);
  const kept = facts.databases.map((database, index) => ({
    database,
    against: policiesAgainst(database.policies, versions[index] ?? "", to),
  }));
  if (kept.every(({ against }) => against.length === 0)) return undefined;
  return policySentence(to, majorVersions(supportedStoreVersions(state.cluster)), {
    cluster: facts.cluster,
    byCluster: kept.some(({ against }) => against.includes("cluster")),
    databases: kept.flatMap(({ database, against }) => (against.includes("database") ? [database] : [])),
  });
}

function unsupportedText(
  minor: string | undefined,
  releases: readonly Release[],
  { isOpenShift }: PathFacts,
): string | undefined {
  if (minor === undefined) return undefined;
  const asked = releases.map((release) => ({ release, ...distributionSupport(release, { minor, isOpenShift }) }));
  const without = asked.filter(({ support }) => support === "unsupported" || support === "unknown");
  const [first] = without;
  if (first === undefined) return undefined;
  const names = without.map(({ release }) => release.operator).join(" nor by ");
  return `${first.name} is not supported by ${names} (it takes ${first.takes.join(", ")})`;
}

function modulesRefused(to: Release, { modules, listedModules }: PathFacts): string | undefined {
  const names = [...new Set([...modules.map(({ name }) => name), ...listedModules])];
  if (names.length === 0 || to.userModules !== "unsupported") return undefined;
  return `${to.operator} cannot take user-defined modules (${names.join(", ")})`;
}

/** A database that is too old is raised before the operator moves, so that no cluster is left behind frozen. */
function databasesTooOld(state: PathState, to: Release, facts: PathFacts): string | undefined {
  const versions = [...new Set(versionsAt(state, facts))];
  const { minDatabase } = to;
  const old = minDatabase === undefined ? undefined : versions.find((version) => isOlder(version, minDatabase));
  if (old !== undefined) return `${to.operator} needs databases of version ${minDatabase} or later, and one is ${old}`;
  const dropped = versions.find((version) => !carries(to, version));
  return dropped === undefined ? undefined : `${to.operator} does not carry databases of version ${dropped}`;
}

function carries({ databases }: Release, version: string): boolean {
  return databases.some((bundled) => bundled.version === version);
}

/** 1.32 is followed by 1.33; what is no minor is followed by nothing. */
export function nextMinor(minor: string): string {
  const [, major, last] = /^(\d+)\.(\d+)$/.exec(minor) ?? [];
  return major === undefined ? "" : `${major}.${Number(last) + 1}`;
}
