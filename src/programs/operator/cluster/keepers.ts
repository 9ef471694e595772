import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { UserModuleStatus } from "../../../core/api/cluster-status.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { Kube, Ref } from "#kit/kube/kube";
import { addFinalizer } from "../objects/finalizer.ts";
import { keepSecrets } from "../objects/secrets.ts";
import { accessVersions, areSecretsThere, keepAccess, secretsVersions, type AccessDeps } from "./access.ts";
import { isAhead, keepAhead, type AheadDeps } from "./ahead.ts";
import { authorityVersions, rotateAuthority, type AuthorityDeps } from "./authority.ts";
import { isLicenseKept, keepLicense, licenseVersions } from "./license.ts";
import { isOwnedKept, keepOwned, type OwnedObjectsDeps } from "./owned-objects.ts";
import type { OwnershipVerdict } from "./ownership.ts";
import { errorsIn } from "./failures.ts";
import { keepPolicy, policyDue } from "./policy.ts";
import { lacksUserModules, type KeepUserModules } from "./user-modules.ts";

/** What keepers work with beside the one act of a pass. */
export interface KeeperDeps extends AccessDeps, AuthorityDeps, AheadDeps, OwnedObjectsDeps {
  readonly kube: Kube;
  readonly cache: InformerCache;
  readonly userModules: KeepUserModules;
}

/** The facts that keepers use: the cluster, the decision, and whether the cluster may have anything at all. */
export interface KeeperFacts {
  readonly observation: ClusterObservation;
  readonly decision: Pick<ClusterDecision, "ownsObjects">;
  readonly ownership: Pick<OwnershipVerdict, "blocking" | "isUnknown">;
}

/** What users are to know of what was kept. */
export interface Kept {
  readonly findings?: readonly Finding[];
  /** What became of the modules that the spec lists. */
  readonly userModules?: readonly UserModuleStatus[];
}

/** What all keepers of a moment say, and what failed. */
export interface KeptAll extends Kept {
  readonly failures: readonly Error[];
}

/** One thing that each pass keeps as it is to be, beside its one act. */
export interface Keeper {
  readonly name: string;
  /** The act may need what is kept before it. */
  readonly moment: "before the act" | "after the act";
  /** Whether it may be kept at this moment; always when absent. */
  readonly isAllowed?: (facts: KeeperFacts) => boolean;
  /** Whether `keep` would do nothing, as far as the informer cache shows; absent: the cache shows nothing of it, and `versions` do. */
  readonly isKept?: (deps: KeeperDeps, observation: ClusterObservation) => boolean;
  /** The versions of what `keep` reads outside the informer cache: while they are the same, `keep` would do nothing again. */
  readonly versions?: (cache: VersionsCache, cluster: Ref) => Versions;
  readonly keep: (deps: KeeperDeps, observation: ClusterObservation) => Promise<Kept>;
}

type VersionsCache = Pick<InformerCache, "clusters" | "secrets">;
type Versions = readonly (string | undefined)[];

const areNamesOurs = ({ ownership }: KeeperFacts): boolean => !ownership.isUnknown && ownership.blocking.length === 0;
const ownsObjects = ({ decision }: KeeperFacts): boolean => decision.ownsObjects;

/** Everything that a pass over a cluster keeps beside its one act, in this order. */
export const KEEPERS: readonly Keeper[] = [
  {
    name: "finalizer",
    moment: "before the act",
    isKept: (_, { rec }) => (rec.metadata.finalizers ?? []).includes(FINALIZERS.cluster),
    keep: async ({ kube }, { rec }) => {
      await addFinalizer(kube, Clusters, rec, FINALIZERS.cluster);
      return {};
    },
  },
  {
    name: "secrets",
    moment: "before the act",
    isAllowed: areNamesOurs,
    isKept: areSecretsThere,
    versions: secretsVersions,
    keep: async (deps, observation) => {
      await keepSecrets(deps, observation);
      return {};
    },
  },
  {
    name: "access",
    moment: "before the act",
    isAllowed: areNamesOurs,
    versions: accessVersions,
    keep: async (deps, observation) => asKept(await keepAccess(deps, observation)),
  },
  {
    name: "authority",
    moment: "before the act",
    isAllowed: areNamesOurs,
    versions: authorityVersions,
    keep: async (deps, observation) => ({ findings: await rotateAuthority(deps, observation) }),
  },
  {
    // before the Role: nodes that may make no Secret find theirs
    name: "secrets ahead",
    moment: "before the act",
    isAllowed: ownsObjects,
    isKept: isAhead,
    keep: async (deps, observation) => ({ findings: await keepAhead(deps, observation) }),
  },
  {
    name: "owned objects",
    moment: "before the act",
    isAllowed: ownsObjects,
    isKept: isOwnedKept,
    keep: async (deps, observation) => {
      await keepOwned(deps, observation);
      return {};
    },
  },
  {
    name: "policy",
    moment: "after the act",
    isKept: (_, observation) => policyDue(observation) === undefined,
    keep: async (_, observation) => {
      await keepPolicy(observation);
      return {};
    },
  },
  {
    name: "licence",
    moment: "after the act",
    isKept: (_, observation) => isLicenseKept(observation),
    versions: licenseVersions,
    keep: async (deps, observation) => asKept(await keepLicense(deps, observation)),
  },
  {
    name: "modules",
    moment: "after the act",
    isKept: (_, observation) => !lacksUserModules(observation),
    keep: async ({ userModules }, observation) => ({ userModules: await userModules(observation) }),
  },
];

/** Runs the keepers of one moment of a pass, and joins what users are to know of it. One that fails keeps no other from its work. */
export async function keepAll(
  deps: KeeperDeps,
  facts: KeeperFacts,
  moment: Keeper["moment"],
  keepers: readonly Keeper[] = KEEPERS,
): Promise<KeptAll> {
  const findings: Finding[] = [];
  const failures: Error[] = [];
  let userModules: Kept["userModules"];
  for (const keeper of keepers) {
    if (keeper.moment !== moment || keeper.isAllowed?.(facts) === false) continue;
    try {
      const kept = await keeper.keep(deps, facts.observation);
      for (const each of kept.findings ?? []) findings.push(each);
      userModules = kept.userModules ?? userModules;
    } catch (error) {
      for (const each of errorsIn(error)) failures.push(each);
    }
  }
  return userModules === undefined ? { findings, failures } : { findings, failures, userModules };
}

/** Whether every keeper would do nothing, as far as the informer cache shows. */
export function isAllKept(deps: KeeperDeps, facts: KeeperFacts): boolean {
  return KEEPERS.every(
    ({ isAllowed, isKept }) => isAllowed?.(facts) === false || isKept?.(deps, facts.observation) !== false,
  );
}

/** The versions of all that keepers read outside the informer cache, as one text. */
export function keptVersions(cache: VersionsCache, cluster: Ref): string {
  return JSON.stringify(KEEPERS.map(({ versions }) => versions?.(cache, cluster) ?? []));
}

function asKept(finding: Finding | undefined): Kept {
  return finding === undefined ? {} : { findings: [finding] };
}
