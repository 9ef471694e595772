import type { Check } from "./check.ts";
import { bundledModulesStay } from "./bundled-modules.ts";
import { autoUpgradeIsConsistent, noDigestWithAutoUpgrade, noUserModulesWithAutoUpgrade } from "./automatic.ts";
import {
  clusterIsAtRest,
  credentialsAreAccepted,
  noKnownIssues,
  operatorIsReady,
  noThirdRelease,
  upgradeHasEnded,
} from "./cluster.ts";
import { replicasAreEnough, noUpgradeWaits, databaseObjectsAreValid, capacitySuffices } from "./data.ts";
import { databasesAreNewEnough } from "./databases.ts";
import { operatorIsNotOlder, riggerTagBelongsToOperator, tagBelongsToOperator, tagIsKnown } from "./images.ts";
import { constraintIsGone, definitionsAreRight, webhookIsCurrent } from "./installed.ts";
import { enginesStart } from "./engines-start.ts";
import { enginesStay } from "./engines-stay.ts";
import { enginesSpeakTls } from "./engines-without-tls.ts";
import { kubernetesIsSupported } from "./kubernetes.ts";
import { licenseIsValid, licenseOutlastsUpgrade } from "./license.ts";
import { portsAreOpen, volumesAreBound, workersTakePods } from "./machines.ts";
import { modulesAreListed, modulesHaveBuilds, userModulesAreInstalled, userModulesAreSupported } from "./modules.ts";
import {
  clusterAnswers,
  databasesAreActive,
  mostNodesAreActive,
  noActionRuns,
  othersAreActive,
  othersAreInService,
  primariesServe,
  replicasAreInSync,
} from "./nodes.ts";
import { pathIsAllowed, runningVersionIsKnown } from "./path.ts";
import { clusterIsPermitted, operatorIsPermitted } from "./permissions.ts";
import { digestIsOfTheTag, nodesRunTheirImage } from "./running.ts";
import { volumesSuffice } from "./volume-budget.ts";
import { volumesHaveRoom } from "./full-volume.ts";
import { memorySuffices } from "./overcommitted.ts";
import { noDataIsSetAside, noRecordIsMissing } from "./set-aside.ts";
import { SPEC_CHECKS } from "./spec.ts";
import { volumesCanGrow, volumesStay } from "./volumes.ts";

/** Every prerequisite (§9), in the order in which objections are listed. */
export const CHECKS = [
  ...SPEC_CHECKS,
  operatorIsPermitted,
  clusterIsPermitted,
  autoUpgradeIsConsistent,
  noDigestWithAutoUpgrade,
  noUserModulesWithAutoUpgrade,
  volumesStay,
  volumesCanGrow,
  operatorIsNotOlder,
  tagIsKnown,
  tagBelongsToOperator,
  digestIsOfTheTag,
  nodesRunTheirImage,
  riggerTagBelongsToOperator,
  runningVersionIsKnown,
  pathIsAllowed,
  noThirdRelease,
  kubernetesIsSupported,
  userModulesAreSupported,
  userModulesAreInstalled,
  modulesHaveBuilds,
  bundledModulesStay,
  modulesAreListed,
  licenseIsValid,
  noRecordIsMissing,
  noDataIsSetAside,
  volumesHaveRoom,
  enginesSpeakTls,
  memorySuffices,
  enginesStay,
  volumesSuffice,
  databasesAreNewEnough,
  clusterAnswers,
  othersAreActive,
  othersAreInService,
  databasesAreActive,
  noActionRuns,
  enginesStart,
  primariesServe,
  replicasAreInSync,
  operatorIsReady,
  mostNodesAreActive,
  clusterIsAtRest,
  credentialsAreAccepted,
  upgradeHasEnded,
  noKnownIssues,
  licenseOutlastsUpgrade,
  capacitySuffices,
  replicasAreEnough,
  noUpgradeWaits,
  databaseObjectsAreValid,
  workersTakePods,
  volumesAreBound,
  portsAreOpen,
  definitionsAreRight,
  webhookIsCurrent,
  constraintIsGone,
] as const satisfies readonly Check[];
