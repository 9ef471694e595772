import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { customResourceDefinitions } from "../src/core/api/crd.ts";
import type { StructuralSchema } from "../src/core/api/structural.ts";

/** What the description of a field says that has no other effect. */
const VALIDATED_ONLY = "only takes part in validation";
/** A field that is nothing but the place of others, or is a `spec` of its own with a table of its own. */
const PLACE = "place";
const PODS = "src/programs/operator/placement.test.ts";
const USER_MODULES = "src/core/planner/modules/user-modules.test.ts";
const BACKUPS = "test/world/backups.test.ts";
const RETENTION = "src/core/backup/retention.test.ts";
const SCHEDULES = "src/programs/operator/backup/schedule.test.ts";
const RESTORES = "test/world/restores.test.ts";
/** What those tests are played on. */
const RESTORES_SCENE = "test/object-store/restoring.ts";
const SITES = "test/scenario/active-active.test.ts";
/** What that test is played on. */
const SITES_SCENE = "test/kit/world/sites.ts";

/** For each field of a spec the test that fails when it loses its effect. Settings of databases have a table of their own. */
const EFFECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  StoreEnterpriseCluster: {
    nodes: "src/core/planner/cluster/plan.test.ts",
    autoUpgradeStoreEnterprise: "src/core/planner/cluster/plan.test.ts",
    upgradeSpec: PLACE,
    "upgradeSpec.autoUpgradeStoreEnterprise": "src/core/planner/cluster/plan.test.ts",
    "upgradeSpec.acceptUnknownVersion": "test/specification/versions.test.ts",
    ...image("storeEnterpriseImageSpec", PODS),
    ...image("storeEnterpriseServicesRiggerImageSpec", PODS),
    ...image("bootstrapperImageSpec", VALIDATED_ONLY),
    usageMeter: PLACE,
    "usageMeter.callHomeClient": PLACE,
    ...image("usageMeter.callHomeClient.imageSpec", VALIDATED_ONLY),
    userDefinedModules: USER_MODULES,
    "userDefinedModules[].name": USER_MODULES,
    "userDefinedModules[].source": PLACE,
    "userDefinedModules[].source.https": PLACE,
    "userDefinedModules[].source.https.url": USER_MODULES,
    "userDefinedModules[].source.https.credentialsSecret": USER_MODULES,
    "userDefinedModules[].source.http": PLACE,
    "userDefinedModules[].source.http.url": USER_MODULES,
    "userDefinedModules[].source.http.credentialsSecret": USER_MODULES,
    "userDefinedModules[].credentialsSecret": USER_MODULES,
    "userDefinedModules[].sha256": USER_MODULES,
    storeUpgradePolicy: "src/programs/operator/database/cluster.test.ts",
    networkPolicy: PLACE,
    "networkPolicy.enabled": "src/programs/operator/operator.test.ts",
    persistentSpec: PLACE,
    "persistentSpec.enabled": PODS,
    "persistentSpec.storageClassName": PODS,
    "persistentSpec.volumeSize": "test/scenario/volumes.test.ts",
    ...resources("storeEnterpriseNodeResources", PODS),
    ...resources("storeEnterpriseServicesRiggerResources", PODS),
    license: "test/kit/frozen/data-cases.ts",
    licenseSecretName: "test/world/storectl-recover.test.ts",
    clusterCredentialSecretName: PODS,
    username: PODS,
    createServiceAccount: PODS,
    serviceAccountName: PODS,
    pullSecrets: PODS,
    "pullSecrets[].name": PODS,
    nodeSelector: PODS,
    podAntiAffinity: PODS,
    podTolerations: PODS,
    podAnnotations: PODS,
    extraLabels: PODS,
    priorityClassName: PODS,
    setAsideRetentionDays: "src/programs/operator/cluster/policy.test.ts",
    rotationOverlapSeconds: "test/scenario/cluster-password.test.ts",
    authorityOverlapSeconds: "test/scenario/authority.test.ts",
    clusterRecovery: "test/world/storectl-lost-nodes.test.ts",
    storeEnterpriseTerminationGracePeriodSeconds: PODS,
  },
  StoreEnterpriseActiveActiveDatabase: {
    participatingClusters: SITES,
    "participatingClusters[].name": SITES,
    "participatingClusters[].namespace": VALIDATED_ONLY,
    "participatingClusters[].externalReplicationPort": "src/core/planner/active-active/other-sites.test.ts",
    "participatingClusters[].shardCount": "src/core/planner/active-active/linked.test.ts",
    globalConfigurations: SITES,
    storeEnterpriseCluster: "src/core/planner/active-active/decide.test.ts",
    "storeEnterpriseCluster.name": "src/core/planner/active-active/decide.test.ts",
    storeVersion: SITES,
    moduleList: "src/core/planner/admission/active-active.test.ts",
  },
  StoreEnterpriseRemoteCluster: {
    recName: SITES_SCENE,
    recNamespace: SITES_SCENE,
    apiFqdnUrl: SITES_SCENE,
    apiPort: SITES,
    dbFqdnSuffix: "src/core/planner/active-active/other-sites.test.ts",
    secretName: VALIDATED_ONLY,
  },
  StoreEnterpriseBackup: {
    databaseName: BACKUPS,
    s3: PLACE,
    "s3.bucketName": BACKUPS,
    "s3.awsSecretName": BACKUPS,
    "s3.subdir": BACKUPS,
    "s3.regionName": BACKUPS,
    "s3.endpoint": BACKUPS,
    "s3.pathStyle": BACKUPS,
    "s3.caCertificateSecretName": "src/programs/operator/backup/begin.test.ts",
    encryption: PLACE,
    "encryption.secretName": "src/programs/operator/backup/begin.test.ts",
    bytesPerSecond: "src/programs/operator/backup/begin.test.ts",
    verify: BACKUPS,
    verifyRequest: BACKUPS,
    activeDeadlineSeconds: BACKUPS,
  },
  StoreEnterpriseBackupSchedule: {
    databaseName: SCHEDULES,
    s3: BACKUPS,
    "s3.bucketName": BACKUPS,
    "s3.awsSecretName": BACKUPS,
    "s3.subdir": BACKUPS,
    "s3.regionName": BACKUPS,
    "s3.endpoint": BACKUPS,
    "s3.pathStyle": BACKUPS,
    "s3.caCertificateSecretName": "src/programs/operator/backup/begin.test.ts",
    encryption: PLACE,
    "encryption.secretName": SCHEDULES,
    bytesPerSecond: SCHEDULES,
    verify: SCHEDULES,
    activeDeadlineSeconds: SCHEDULES,
    schedule: SCHEDULES,
    timeZone: "src/core/planner/admission/backup-schedule.test.ts",
    suspend: SCHEDULES,
    startingDeadlineSeconds: SCHEDULES,
    retention: RETENTION,
    "retention.count": RETENTION,
    "retention.ageDays": RETENTION,
  },
  StoreEnterpriseRestore: {
    databaseName: RESTORES,
    backupName: RESTORES,
    location: RESTORES,
    "location.path": RESTORES,
    "location.s3": PLACE,
    "location.s3.bucketName": RESTORES,
    "location.s3.awsSecretName": RESTORES_SCENE,
    "location.s3.regionName": RESTORES_SCENE,
    "location.s3.endpoint": RESTORES_SCENE,
    "location.s3.pathStyle": RESTORES_SCENE,
    "location.s3.caCertificateSecretName": "src/programs/operator/backup/begin.test.ts",
    encryption: PLACE,
    "encryption.secretName": "src/core/backup/restore-source.test.ts",
    database: RESTORES,
    replaceLostData: "test/world/drill.test.ts",
    bytesPerSecond: RESTORES,
    dryRun: RESTORES,
    activeDeadlineSeconds: RESTORES,
  },
};

for (const [kind, effects] of Object.entries(EFFECTS)) {
  test(`each field of ${kind} has an effect that a test holds, or says that it ${VALIDATED_ONLY}`, () => {
    const fields = fieldsOf(specOf(kind));
    assert.deepEqual([...fields.keys()].toSorted(), Object.keys(effects).toSorted(), "the table lists each field");
    const wrong = [...fields].flatMap(([path, description]) => objectionTo(path, description, effects[path] ?? ""));
    assert.deepEqual(wrong, []);
  });
}

function objectionTo(path: string, description: string, effect: string): string[] {
  if (effect === PLACE) return [];
  const saysSo = description.includes(VALIDATED_ONLY);
  if (effect === VALIDATED_ONLY) return saysSo ? [] : [`${path}: the description does not say that it ${effect}`];
  if (saysSo) return [`${path}: the description says that it ${VALIDATED_ONLY}`];
  const name = path.slice(path.lastIndexOf(".") + 1).replace("[]", "");
  return readFileSync(effect, "utf8").includes(name) ? [] : [`${path}: ${effect} says nothing of ${name}`];
}

function specOf(kind: string): StructuralSchema {
  const definition = customResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
  const spec = definition?.spec.versions[0].schema.openAPIV3Schema.properties.spec;
  assert.ok(spec, `${kind} is not defined`);
  return spec;
}

/** Fields with what a database has too. */
const CONFIGURED = ["globalConfigurations", "moduleList", "database"];

/** The description of each field by its path; what is configured as a database is left to the table of databases. */
function fieldsOf({ properties = {}, items }: StructuralSchema, at = ""): ReadonlyMap<string, string> {
  const inner = items === undefined ? [] : [...fieldsOf(items, at === "" ? "" : `${at.replace(/\.$/, "")}[].`)];
  const own = Object.entries(properties).flatMap(([name, field]): [string, string][] => {
    const path = `${at}${name}`;
    const below = CONFIGURED.includes(path) ? [] : [...fieldsOf(field, `${path}.`)];
    return [[path, field.description ?? ""], ...below];
  });
  return new Map([...own, ...inner]);
}

function image(path: string, effect: string): Readonly<Record<string, string>> {
  const parts = ["repository", "versionTag", "digestHash", "imagePullPolicy"].map((part) => [
    `${path}.${part}`,
    effect,
  ]);
  return { [path]: effect, ...Object.fromEntries(parts) };
}

function resources(path: string, effect: string): Readonly<Record<string, string>> {
  return { [path]: effect, [`${path}.requests`]: effect, [`${path}.limits`]: effect };
}
