import { CHECKS } from "./list.ts";

/** Names that are not of a check: narrower ones of what a check finds, and of what is found elsewhere. */
const OTHERS = [
  "AddressNotWritten",
  "AuthorityEnds",
  "BackupRefused",
  "BackupScheduleGoing",
  "BackupScheduleNotKept",
  "BackupScheduleTaken",
  "CallFailed",
  "CertificateInvalid",
  "CertificateRefused",
  "CertificateUnfit",
  "ClockApart",
  "ClusterInvalid",
  "ClusterNotFound",
  "ClusterNotReady",
  "CreationFailed",
  "DatabaseSecretMissing",
  "DatabaseUnavailable",
  "DowngradeRefused",
  "Drifted",
  "EditWaits",
  "FormerPasswordAccepted",
  "KeysMisplaced",
  "KubernetesVersionDeprecated",
  "KubernetesVersionUnsupported",
  "LicenseLimit",
  "LicenseNotFound",
  "LicenseRefused",
  "MemoryTooSmall",
  "ModuleListContradiction",
  "NameTaken",
  "NamespaceNotGranted",
  "NamespacesNotListed",
  "NextAuthorityOffered",
  "NoReplicaInSync",
  "NotParticipating",
  "ObjectNotOurs",
  "OperatorTooOld",
  "OperatorUnknown",
  "OtherSiteFirst",
  "OtherUpgradeFirst",
  "ParticipantKnowsNoShards",
  "PassFailed",
  "PlacesContradict",
  "PodMissing",
  "PodNotRunning",
  "PodUnknown",
  "RefusedByCluster",
  "RemoteClusterInvalid",
  "RemoteClusterMissing",
  "RequestForbidden",
  "RotationWaits",
  "ScriptRunning",
  "SecretKeyTaken",
  "SecretMissing",
  "SecretNotMarked",
  "SecretsPassedOver",
  "ServiceMissing",
  "ShardCopyFails",
  "ShardCountFixed",
  "ShardsLackRoom",
  "SitesApart",
  "SpecInvalid",
  "SpecNotHandled",
  "StepFailed",
  "StepForbidden",
  "TokenRefused",
  "UnknownVersionAccepted",
  "Unreachable",
  "UnsupportedModuleVersion",
  "UpgradePolicyMajor",
  "UpgradedByHand",
  "UserModuleFetching",
  "VersionBelowMinimum",
  "VolumeResizing",
  "WatchedNamespacesWrong",
  "WebhookDoubled",
] as const;

/**
 * Name of a check or of a finding: each check declares its own. The names are stable: users match on them in
 * `status.findings`, in conditions and in events.
 */
export type FindingId = (typeof CHECKS)[number]["id"] | (typeof OTHERS)[number];

const KNOWN: ReadonlySet<string> = new Set([...CHECKS.map(({ id }) => id), ...OTHERS]);

/** Whether this release knows `id`: an object may hold findings that a newer operator wrote. */
export function isFindingId(id: string): id is FindingId {
  return KNOWN.has(id);
}
