import type { Check } from "./check.ts";
import { autoUpgradeSaysOneThing, noDigestWithAutoUpgrade, noUserModulesWithAutoUpgrade } from "./automatic.ts";
import {
  clusterIsAtRest,
  credentialsAreTaken,
  knownIssuesAreMinded,
  operatorIsReady,
  versionsAreOne,
} from "./cluster.ts";
import { copiesAreEnough, nothingIsUpgradedUnawares, objectsCanBeActedOn, oneNodeCanBeSpared } from "./data.ts";
import { databasesAreNewEnough } from "./databases.ts";
import { operatorIsNotOlder, riggerTagBelongsToOperator, tagBelongsToOperator, tagIsKnown } from "./images.ts";
import { constraintIsGone, definitionsAreRight, webhookIsCurrent } from "./installed.ts";
import { kubernetesIsSupported } from "./kubernetes.ts";
import { licenseIsValid, licenseLasts } from "./license.ts";
import { portsAreOpen, volumesAreBound, workersTakePods } from "./machines.ts";
import { modulesAreListed, modulesHaveBuilds, userModulesAreSupported } from "./modules.ts";
import {
  clusterAnswers,
  databasesAreSettled,
  noActionRuns,
  othersAreActive,
  othersAreInService,
  primariesServe,
  replicasAreInSync,
} from "./nodes.ts";
import { pathIsAllowed } from "./path.ts";
import { clusterIsPermitted, operatorIsPermitted } from "./permissions.ts";
import { userModulesAreInstalled } from "./user-modules.ts";
import { SPEC_CHECKS } from "./spec.ts";

/** Every prerequisite (§9, product facts §7.1), in the order in which objections are told. */
export const CHECKS: readonly Check[] = [
  ...SPEC_CHECKS,
  operatorIsPermitted,
  clusterIsPermitted,
  autoUpgradeSaysOneThing,
  noDigestWithAutoUpgrade,
  noUserModulesWithAutoUpgrade,
  operatorIsNotOlder,
  tagIsKnown,
  tagBelongsToOperator,
  riggerTagBelongsToOperator,
  pathIsAllowed,
  kubernetesIsSupported,
  userModulesAreSupported,
  userModulesAreInstalled,
  modulesHaveBuilds,
  modulesAreListed,
  licenseIsValid,
  databasesAreNewEnough,
  clusterAnswers,
  othersAreActive,
  othersAreInService,
  databasesAreSettled,
  noActionRuns,
  primariesServe,
  replicasAreInSync,
  operatorIsReady,
  clusterIsAtRest,
  credentialsAreTaken,
  versionsAreOne,
  knownIssuesAreMinded,
  licenseLasts,
  oneNodeCanBeSpared,
  copiesAreEnough,
  nothingIsUpgradedUnawares,
  objectsCanBeActedOn,
  workersTakePods,
  volumesAreBound,
  portsAreOpen,
  definitionsAreRight,
  webhookIsCurrent,
  constraintIsGone,
];
