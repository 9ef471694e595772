/** What a field of a spec makes an object reach beside the object's own cluster or database. */
export interface Reach {
  /** In words, for docs/security.md. */
  readonly reaches: string;
  readonly bound: string;
  /** The test that asks it. */
  readonly test: string;
}

/** A field that says how much, how long, which way, or which of the versions: it reaches nothing else. */
export const OWN = "own";

type Fields = Readonly<Record<string, Reach | typeof OWN>>;

const LINK = "src/mechanisms/observe/sites/peer-cluster.test.ts";
const PODS = "src/programs/operator/placement.test.ts";
const NAMES = "src/core/planner/admission/cluster-names.test.ts";
const MODULES = "test/scenario/module-attempts.test.ts";
const SITES = "src/core/planner/active-active/other-sites.test.ts";

const moduleUrl: Reach = {
  reaches: "the operator downloads from this URL, and every engine of the cluster that loads the module runs its code",
  bound: "the archive is read with limits; where `sha256` is set it has to be that one; redirects get no login",
  test: MODULES,
};
const moduleLogin: Reach = {
  reaches: "a Secret of the namespace, sent as a login to the host of the URL",
  bound: "only to hosts that an annotation of the Secret lists",
  test: MODULES,
};

const moduleArguments: Reach = {
  reaches: "arguments of a module in the engines of the database",
  bound: "engines run as a user of their own",
  test: "src/core/planner/database/edits.test.ts",
};

/** Of a StoreEnterpriseCluster. */
export const CLUSTER_FIELDS: Fields = {
  nodes: OWN,
  autoUpgradeStoreEnterprise: OWN,
  upgradeSpec: OWN,
  storeEnterpriseImageSpec: {
    reaches: "any image that the workers can pull, run in the pods of the nodes",
    bound: "the pods have the account of the nodes, their Secrets and their volumes, not the key of the authority",
    test: PODS,
  },
  storeEnterpriseServicesRiggerImageSpec: {
    reaches: "any image that the workers can pull, run in the pod of the rigger",
    bound: "the pod has the account of the rigger and the login of the cluster",
    test: PODS,
  },
  bootstrapperImageSpec: OWN,
  usageMeter: OWN,
  userDefinedModules: OWN,
  "userDefinedModules[].name": OWN,
  "userDefinedModules[].source": OWN,
  "userDefinedModules[].source.https.url": moduleUrl,
  "userDefinedModules[].source.http.url": moduleUrl,
  "userDefinedModules[].source.https.credentialsSecret": moduleLogin,
  "userDefinedModules[].source.http.credentialsSecret": moduleLogin,
  "userDefinedModules[].credentialsSecret": moduleLogin,
  "userDefinedModules[].sha256": OWN,
  storeUpgradePolicy: OWN,
  persistentSpec: OWN,
  "persistentSpec.storageClassName": {
    reaches: "a storage class",
    bound: "Kubernetes makes the volumes; those that there are stay",
    test: PODS,
  },
  networkPolicy: {
    reaches: "`enabled: false` opens every port of the nodes to every pod",
    bound: "engines and management API ask for a password all the same",
    test: "src/programs/operator/operator.test.ts",
  },
  storeEnterpriseNodeResources: OWN,
  storeEnterpriseServicesRiggerResources: OWN,
  clusterRecovery: OWN,
  setAsideRetentionDays: OWN,
  license: OWN,
  licenseSecretName: {
    reaches: "a Secret of the namespace, read for its key `license`",
    bound: "only one that holds nothing else, or whose annotation lists the cluster",
    test: NAMES,
  },
  clusterCredentialSecretName: {
    reaches: "a Secret of the namespace, mounted into the pods of the nodes as their login",
    bound: "only one whose annotation lists the cluster",
    test: NAMES,
  },
  username: OWN,
  rotationOverlapSeconds: OWN,
  authorityOverlapSeconds: OWN,
  createServiceAccount: {
    reaches: "`false`: nodes run with an account that the operator has not made",
    bound: "the same as `serviceAccountName`",
    test: NAMES,
  },
  serviceAccountName: {
    reaches: "an account of the namespace, with its rights, in the pods of the nodes",
    bound: "never one of an operator, of a rigger or of another cluster",
    test: NAMES,
  },
  pullSecrets: OWN,
  "pullSecrets[].name": {
    reaches: "a Secret of the namespace, which the kubelet sends to the registry of an image",
    bound: "Kubernetes uses only Secrets with logins of registries, each for its own host; no pod sees them",
    test: PODS,
  },
  nodeSelector: { reaches: "workers", bound: "Kubernetes places the pods", test: PODS },
  podAntiAffinity: { reaches: "workers", bound: "Kubernetes places the pods of nodes", test: PODS },
  podTolerations: { reaches: "workers with taints", bound: "Kubernetes places the pods", test: PODS },
  podAnnotations: {
    reaches: "what reads annotations of pods: a service mesh, a scraper, a backup",
    bound: "no annotation of the product's domain",
    test: "src/core/planner/admission/cluster.test.ts",
  },
  extraLabels: {
    reaches: "what selects by labels: Services, network policies, budgets of others",
    bound: "no label of the product's domain, so that nothing counts as another cluster's or database's",
    test: "src/programs/operator/objects/meta.test.ts",
  },
  priorityClassName: {
    reaches: "a priority class: pods of others may give way",
    bound: "Kubernetes admits the class by its quotas",
    test: PODS,
  },
  storeEnterpriseTerminationGracePeriodSeconds: OWN,
};

const DATABASE_SECRET = "test/scenario/database-secret.test.ts";

/** Of a StoreEnterpriseDatabase, and of `globalConfigurations` of an Active-Active database. */
export const DATABASE_FIELDS: Fields = {
  storeEnterpriseCluster: OWN,
  "storeEnterpriseCluster.name": {
    reaches: "a cluster of the namespace: memory, a port, and a shard of its licence",
    bound: "a database that is bound to a cluster stays bound to it",
    test: "test/scenario/database-binding.test.ts",
  },
  memorySize: OWN,
  shardCount: OWN,
  shardSlots: OWN,
  replication: OWN,
  durability: OWN,
  withoutReplica: OWN,
  persistence: OWN,
  evictionPolicy: OWN,
  engineParameters: OWN,
  maxClients: OWN,
  ossCluster: OWN,
  tls: OWN,
  passwordOverlapSeconds: OWN,
  shardsPlacement: OWN,
  proxyPolicy: OWN,
  parallelShardsUpgrade: OWN,
  storeUpgradePolicy: OWN,
  databaseSecretName: {
    reaches: "a Secret of the namespace: its password is taken, the address is written into it",
    bound: "only one that holds nothing else, or whose annotation lists the database; keys of others are never written",
    test: DATABASE_SECRET,
  },
  certificateSecretName: {
    reaches: "a Secret of the namespace, shown as the certificate of the endpoint",
    bound: "only one with keys of TLS alone, or whose annotation lists the database; Secrets of clusters are refused",
    test: "src/core/planner/database/edits.test.ts",
  },
  clientAuthenticationCertificates: {
    reaches: "Secrets of the namespace, read for certificates",
    bound: "only certificates are read, and no key",
    test: "test/scenario/tls-objects.test.ts",
  },
  databasePort: {
    reaches: "a port of every node",
    bound: "one of the ports of endpoints that no other database has",
    test: "src/core/planner/admission/database.test.ts",
  },
  type: OWN,
  storeVersion: OWN,
  modulesList: OWN,
  "modulesList[].config": moduleArguments,
  moduleList: OWN,
  "moduleList[].config": moduleArguments,
};

/** Of a StoreEnterpriseActiveActiveDatabase. */
export const ACTIVE_ACTIVE_FIELDS: Fields = {
  participatingClusters: OWN,
  "participatingClusters[].name": {
    reaches: "a StoreEnterpriseRemoteCluster of the namespace, whose site gets the data of the database",
    bound: "a site takes part only once the operator there has agreed",
    test: "src/core/planner/active-active/let-in.test.ts",
  },
  "participatingClusters[].namespace": OWN,
  "participatingClusters[].externalReplicationPort": {
    reaches: "a port of the host of the remote cluster, which links dial",
    bound: "links ask for a certificate by the authority in the Secret of that remote cluster",
    test: SITES,
  },
  "participatingClusters[].shardCount": OWN,
  storeEnterpriseCluster: OWN,
  "storeEnterpriseCluster.name": {
    reaches: "a cluster of the namespace",
    bound: "the same as for a database",
    test: "src/core/planner/active-active/decide.test.ts",
  },
  storeVersion: OWN,
  moduleList: OWN,
  "moduleList[].config": moduleArguments,
};

/** Of a StoreEnterpriseRemoteCluster. */
export const REMOTE_FIELDS: Fields = {
  recName: OWN,
  recNamespace: OWN,
  apiFqdnUrl: {
    reaches: "a host, to which the login in the Secret `store-enterprise-<name>` is sent",
    bound: "only after it has shown a certificate by the authority in that Secret",
    test: LINK,
  },
  apiPort: { reaches: "a port of that host", bound: "the same", test: LINK },
  dbFqdnSuffix: {
    reaches: "a host, which links dial",
    bound: "links ask for a certificate by the authority in that Secret",
    test: SITES,
  },
  secretName: {
    reaches: "nothing but the Secret `store-enterprise-<name>`",
    bound: "any other name is refused",
    test: "src/core/planner/admission/remote-cluster.test.ts",
  },
};
