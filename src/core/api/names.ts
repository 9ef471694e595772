/** The API group of the custom resources, and the version that is stored. */
export const API_GROUP = "app.storeenterprise.io";
export const API_VERSION = "v1";

/** Key of a secret that holds a licence (`spec.licenseSecretName`). */
export const LICENSE_KEY = "license";

/** How our programs name themselves to a Kubernetes API, which also keeps it as the owner of fields that they write. */
export const USER_AGENT = "store-enterprise";

/** Name of the operator's Deployment, Role, ServiceAccount and RoleBinding (§2.1). */
export const OPERATOR_NAME = "store-enterprise-operator";

/** The Service behind which the operator answers admission reviews, and the Secret with its certificate (§2.1). */
export const ADMISSION_SERVICE = "admission";
export const ADMISSION_SECRET = "admission-tls";

/** The ValidatingWebhookConfiguration, its one webhook, and the name that it had before 6.4.2 (§2.1, §9). */
export const WEBHOOK_CONFIGURATION = "store-enterprise-admission";
export const WEBHOOK_NAME = "storeenterprise.admission.storeenterprise";

/** The entry beside it that keeps our definitions from becoming older; only the operator adds it. */
export const DEFINITIONS_WEBHOOK_NAME = "definitions.admission.storeenterprise";

export const OLD_WEBHOOK_CONFIGURATION = "redb-admission";

/** The security context constraint that releases before 7.22.0-6 need on OpenShift (§2.1). */
export const OLD_CONSTRAINT = "store-enterprise-scc-v2";

/** The constraint of OpenShift under which pods run unprivileged with a user of their own. */
export const UNPRIVILEGED_CONSTRAINT = "nonroot-v2";

/** The ConfigMap in the namespace of the operator that says which namespaces it manages beside its own, and its keys. */
export const OPERATOR_CONFIG = "operator-environment-config";
export const WATCHED_NAMESPACES = "REDB_NAMESPACES";
export const WATCHED_LABEL = "REDB_NAMESPACES_LABEL";

/** Name of the Role and RoleBinding that let the operator remove its finalizers when its bundle is deleted. */
export const TEARDOWN_NAME = `${OPERATOR_NAME}-leaving`;

/** Keeps the operator's Deployment and ServiceAccount until its other finalizers are removed. */
export const TEARDOWN_FINALIZER = `${API_GROUP}/leaving`;

/** The container of a node pod that runs the agent. */
export const NODE_CONTAINER = "store-enterprise-node";

/** The container of a node pod that runs the engines, from releases on whose engines have a user of their own. */
export const ENGINES_CONTAINER = "store-enterprise-node-engines";

/** Users of the two containers; the images have the first one, and the group of both has its number. */
export const NODE_UID = 1001;
export const ENGINES_UID = 1002;

/** Fixed ports of a node. */
export const PORTS = { management: 9443, metrics: 8080, admission: 8443, discovery: 8001, replication: 9444 } as const;

/** The port of the Service of the webhook, which webhook configurations call. */
export const ADMISSION_PORT = { name: "admission", port: 443, targetPort: PORTS.admission, protocol: "TCP" } as const;

/** What a webhook configuration calls: the operator in this namespace. */
export function operatorCall(namespace: string) {
  return { name: ADMISSION_SERVICE, namespace, path: "/admission", port: ADMISSION_PORT.port };
}

/** Ports that database endpoints and engine processes take, first and last included. */
export const ENDPOINT_PORTS = { first: 10000, last: 19999 } as const;
export const SHARD_PORTS = { first: 20000, last: 29999 } as const;

/** Labels on everything that belongs to a cluster. */
export const LABELS = {
  app: "app",
  cluster: "storeenterprise.io/cluster",
  role: "storeenterprise.io/role",
  leader: "storeenterprise.io/role-leader",
  record: "storeenterprise.io/record",
  database: "storeenterprise.io/database",
} as const;

/** A label or annotation that means something to the product: none comes from a spec. */
export function isProductKey(key: string): boolean {
  return /^([^/]*\.)?storeenterprise\.io\//.test(key);
}

/** Annotation on every object of a bundle: the operator version that it belongs to. */
export const RELEASE_ANNOTATION = "storeenterprise.io/release";

/** Annotation on a cluster: each new value asks for another password of the cluster. */
export const ROTATE_PASSWORD_ANNOTATION = "storeenterprise.io/rotate-password";

/** Annotation on a cluster: each new value asks for another certificate authority of the cluster. */
export const ROTATE_AUTHORITY_ANNOTATION = "storeenterprise.io/rotate-authority";

/** Annotation on the pods of a services rigger: the newest authority of the cluster when they were made. */
export const NEWEST_AUTHORITY_ANNOTATION = "storeenterprise.io/newest-authority";

/** Annotation on an object: the uid of the cluster to which its owner gives it. */
export const GIVEN_ANNOTATION = "storeenterprise.io/given-to";

/** Annotations on a Secret, each a list: the databases, the clusters, and the hosts of modules for which its owner gives it. */
export const DATABASES_ANNOTATION = "storeenterprise.io/databases";
export const CLUSTERS_ANNOTATION = "storeenterprise.io/clusters";
export const MODULE_HOSTS_ANNOTATION = "storeenterprise.io/module-hosts";

/** Annotation on the Secret that nodes have mounted: the name of the Secret with the credentials of the cluster that was last used. */
export const CREDENTIALS_ANNOTATION = "storeenterprise.io/credentials";

/** Annotation on the Secret of a database: the keys that the operator has written. */
export const WRITTEN_ANNOTATION = "storeenterprise.io/written-keys";

/** Annotation on an Active-Active database: what the participants agreed on when its spec was last the same. */
export const AGREED_ANNOTATION = "storeenterprise.io/agreed";

/** Annotation on an Active-Active database: a version that this participant shall have without waiting for the other ones. */
export const UPGRADE_NOW_ANNOTATION = "storeenterprise.io/upgrade-now";

/** Annotation on the database that an Active-Active database has at a site: which site of which it is. The operator alone writes it. */
export const SITE_ANNOTATION = "storeenterprise.io/site";

/** Annotation on the Secret that a cluster keeps for a database: name of the object that it was made for. It stays when the object goes. */
export const MADE_FOR_ANNOTATION = "storeenterprise.io/made-for";

/** Annotation on a database: uid of the database of that name in its cluster, which the object takes over. */
export const TAKE_OVER_ANNOTATION = "storeenterprise.io/take-over";

/** The label of a backup that a schedule has asked for: the name of the schedule. */
export const BACKUP_SCHEDULE_LABEL = "storeenterprise.io/backup-schedule";

/** Annotation on a database: the restore for whose data its cluster makes it wait. It counts when the cluster makes the database. */
export const AWAITS_DATA_ANNOTATION = "storeenterprise.io/awaits-data";

/** Annotation on a database that waits for data: the slots of each shard that it gets them in, as `0-865;866-16383`, where its spec asks for others. */
export const AWAITS_SLOTS_ANNOTATION = "storeenterprise.io/awaits-slots";

/** Annotation on a Secret with the keys of an object store, a list: the other namespaces whose backups may be restored with it. */
export const RESTORES_FROM_ANNOTATION = "storeenterprise.io/restores-from";

/** Secret with the credentials and the certificate authority of the remote cluster `name`. */
export const remoteSecretName = (name: string): string => `store-enterprise-${name}`;

/** Value of the `app` label on every object of the product. */
export const APP_LABEL = "store-enterprise";

/** The labels by which the workloads and Services of a cluster find its pods of that role. */
export function podSelector(cluster: string, role: string): Record<string, string> {
  return { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.role]: role };
}

/** Readiness gate of a node pod: the operator sets it once the node is active and its replicas are in sync. */
export const IN_SERVICE_GATE = `${API_GROUP}/in-service`;

/** Names of the objects of the cluster `rec`; uid 1 is the node of pod `<rec>-0`. */
export const clusterNames = {
  /** Admin credentials: keys `username`, `password`. */
  credentialsSecret: (rec: string): string => rec,
  /**
   * CA certificate and key of the cluster: keys `ca.crt`, `ca.key`; only the operator reads it. While the authority is replaced also
   * the next one, `next.crt` and `next.key`, or the former one, `former.crt`; and where that is, `rotation.json`.
   */
  authoritySecret: (rec: string): string => `${rec}-ca`,
  /**
   * What a node serves with: keys `tls.crt`, `tls.key`, `ca.crt`; what its engines show: `engine.crt`, `engine.key`; the logins of the cluster:
   * `access.json`.
   */
  nodeTlsSecret: (rec: string): string => `${rec}-node-tls`,
  nodeService: (rec: string): string => rec,
  rigger: (rec: string): string => `${rec}-services-rigger`,
  disruptionBudget: (rec: string): string => rec,
  networkPolicy: (rec: string): string => rec,
  nodePod: (rec: string, uid: number): string => `${rec}-${uid - 1}`,
  leaderLease: (rec: string): string => `${rec}-leader`,
  nodeLease: (rec: string, uid: number): string => `${rec}-node-${uid}`,
  clusterRecord: (rec: string): string => `${rec}-cluster`,
  databaseRecord: (rec: string, uid: number): string => `${rec}-db-${uid}`,
  /** Secret that holds a database's password, key `password`. */
  databaseSecret: (rec: string, uid: number): string => `${rec}-db-${uid}`,
  /** Secret that holds the hash of a user's password, key `hash`. */
  userSecret: (rec: string, unique: string): string => `${rec}-user-${unique}`,
  /** Where clients find a database: the name of its Service, which the rigger makes. */
  databaseHost: (database: string, namespace: string): string => `${database}.${namespace}.svc.cluster.local`,
  /** The name that the cluster's certificates and licence carry; also the TLS server name of the management API. */
  dnsName: (rec: string, namespace: string): string => `${rec}.${namespace}.svc.cluster.local`,
  /** The one name that engines of the cluster show, and nothing else of it: no management API answers to it. */
  engineName: (rec: string, namespace: string): string => `engine.${rec}.${namespace}.svc.cluster.local`,
} as const;

/** The Secret of a database whose spec names none: with its password, its port and the name of its Service. */
export function databaseSecretOf(database: string): string {
  return `redb-${database}`;
}

/** Key of the Secret that nodes and rigger have mounted, with the passwords of the cluster. */
export const ACCESS_KEY = "access.json";

/** Where the node container finds its mounts, below the container's root. */
export const NODE_PATHS = {
  data: "/var/lib/store",
  credentials: "/etc/store/credentials",
  tls: "/etc/store/tls",
  /** On the volume of the data, which the container of the engines has too: there the agent waits for the starter. */
  shared: "/var/lib/store/run",
} as const;

/** Where the services rigger finds its mounts, below the container's root. */
export const RIGGER_PATHS = {
  credentials: "/etc/store/credentials",
  authority: "/etc/store/authority",
} as const;
