import { compareVersionText } from "#kit/base/version";
import { missingRecordsOf } from "../view/missing-records.ts";
import { rightNodeNumber } from "../view/node-number.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { askedByHand } from "../prerequisites/asked-by-hand.ts";
import { withoutDigests } from "../prerequisites/pinned-images.ts";
import { tagUnderWay } from "../prerequisites/tag-under-way.ts";
import { isOlder } from "../upgrade-path/state.ts";
import type { RecoveryAct } from "./recovery.ts";
import type { Remedies, Remedy, RemedyFacts } from "./remedy.ts";

/** What the specs of cluster and databases say, and what the cluster itself holds (§7). */
export const CLUSTER_REMEDIES = {
  NodeNumber: ({ input: { view } }) => ({
    acts: [patch({ nodes: rightNodeNumber(view.spec.nodes, view.workload?.replicas ?? 0) })],
  }),
  UnknownImageTag: rightTag,
  ImageTagMismatch: rightTag,
  MixedVersions: ({ input: { view } }) => ({
    acts: [patch({ storeEnterpriseImageSpec: { versionTag: tagUnderWay(view) } })],
    otherwise: "the step to the release of this operator follows, once every node runs the one that is under way",
  }),
  RiggerTagMismatch: ({ input: { view } }) => ({
    acts: [patch({ storeEnterpriseServicesRiggerImageSpec: { versionTag: view.release.operator } })],
  }),
  AutoUpgradeContradiction: () => ({
    acts: [patch({ upgradeSpec: { autoUpgradeStoreEnterprise: null } })],
    otherwise: "spec.autoUpgradeStoreEnterprise alone then says whether the upgrade is automatic",
  }),
  AutoUpgradeDigestConflict: digests,
  ImageDigestStale: () => ({ acts: [patch({ storeEnterpriseImageSpec: { digestHash: null } })] }),
  AutoUpgradeUserModules: (facts) => ({
    ...byHand(facts),
    otherwise: "user-defined modules need an upgrade by hand (§2.2)",
  }),
  LicenseInvalid: license,
  LicenseEndsSoon: license,
  LicenseRefused: license,
  LicenseNotFound: license,
  IncompatibleDatabaseVersion: databaseVersions,
  UpgradePolicyMajor: liftPolicy,
  NodeInMaintenance: ({ input: { view } }) => ({
    acts: (view.cluster.reachable ? view.cluster.nodes : [])
      .filter(({ maintenance }) => maintenance)
      .map(({ uid }) => ({ kind: "end-maintenance", uid })),
  }),
  WorkerUnschedulable: ({ input: { environment } }) => ({
    acts: (environment.workers?.read === true ? environment.workers.value : [])
      .filter(({ cordoned, ready }) => cordoned && ready)
      .map(({ name }) => ({ kind: "uncordon", worker: name })),
  }),
  RecordMissing: ({ input: { view } }) => ({
    acts: missingRecordsOf(view)
      .filter(({ doubt }) => doubt === undefined)
      .map(({ bdb: uid }) => ({ kind: "restore-record", uid })),
  }),
  DowngradeRefused: asItRuns,
  Drifted: asTheDatabaseIs,
} satisfies Remedies;

function patch(spec: object): RecoveryAct {
  return { kind: "patch-cluster", spec };
}

/** The tag of the operator's own release is the only one that the operator brings a cluster to. */
function rightTag({ input: { view } }: RemedyFacts): Remedy {
  const { operator, nodeTag } = view.release;
  const runs = releaseByNodeTag(view.workload?.nodeTag ?? "");
  const isUpgrade = runs !== undefined && (compareVersionText(runs.operator, operator) ?? 0) < 0;
  return {
    acts: [patch({ storeEnterpriseImageSpec: { versionTag: nodeTag } })],
    irreversible: isUpgrade ? `the cluster goes on to ${operator}, and never back` : "",
  };
}

/** §3: every digest goes, or automatic upgrade does. */
function digests(facts: RemedyFacts): Remedy {
  if (facts.given.keepDigests) return byHand(facts);
  return {
    acts: [patch(withoutDigests(facts.input.view.spec))],
    otherwise: "--keep-digests turns automatic upgrade off instead, and asks for the release by hand",
  };
}

/** Automatic upgrade off, and the release that it was to bring asked for by hand. */
function byHand({ input }: RemedyFacts): Remedy {
  return { acts: [patch(askedByHand(input))] };
}

/** The policy of the database itself is its owner's word. */
function liftPolicy({ input: { view } }: RemedyFacts): Remedy | undefined {
  return view.spec.storeUpgradePolicy === "major" ? { acts: [patch({ storeUpgradePolicy: "latest" })] } : undefined;
}

/** The cluster looks at it before anything is written: one that it refuses changes nothing. */
function license({ input: { view }, given }: RemedyFacts): Remedy {
  const { license: text, licenseSecretName: secret } = view.spec;
  const file = given.license;
  if (file === "") return { needs: "a licence for this cluster: --license <file>" };
  const isNamed = secret !== undefined || (text ?? "") !== "";
  return {
    acts: [{ kind: "install-license", file }, ...(isNamed ? [{ kind: "write-license" as const, secret, file }] : [])],
  };
}

/** Through the management API, since objects of databases are not acted on meanwhile; then the object says the same (§1, §7). */
function databaseVersions(facts: RemedyFacts): Remedy | undefined {
  const { input, databases, cause } = facts;
  if (cause.about.kind === "redb") return asTheDatabaseIs(facts);
  const { cluster } = input.view;
  const minimum = input.step?.to.minDatabase;
  if (!cluster.reachable || minimum === undefined) return undefined;
  const old = cluster.databases.filter(({ storeVersion }) => isOlder(storeVersion, minimum));
  return {
    acts: old.flatMap(({ name, uid }): RecoveryAct[] => [
      { kind: "upgrade-database", name, uid, to: minimum },
      ...(databases.some((one) => one.name === name)
        ? [{ kind: "patch-database" as const, name, storeVersion: minimum }]
        : []),
    ]),
    irreversible: `${old.map(({ name }) => `"${name}"`).join(", ")} never go back below ${minimum}`,
  };
}

/** What is asked for is older than what runs: the spec becomes what is the case, of a cluster as of a database. */
function asItRuns(facts: RemedyFacts): Remedy | undefined {
  const { cause, input } = facts;
  if (cause.about.kind === "redb") return asTheDatabaseIs(facts);
  const { step } = input;
  const tag = step?.from?.nodeTag ?? step?.fromTag;
  return tag === undefined ? undefined : { acts: [patch({ storeEnterpriseImageSpec: { versionTag: tag } })] };
}

function asTheDatabaseIs({ input: { view }, cause }: RemedyFacts): Remedy | undefined {
  const { name } = cause.about;
  const known = view.cluster.reachable ? view.cluster.databases.find((one) => one.name === name) : undefined;
  return known && { acts: [{ kind: "patch-database", name, storeVersion: known.upgradesTo ?? known.storeVersion }] };
}
