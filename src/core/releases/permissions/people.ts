import { KINDS } from "../../api/kinds.ts";
import {
  ADMISSION_SERVICE,
  API_GROUP,
  OLD_CONSTRAINT,
  OLD_WEBHOOK_CONFIGURATION,
  OPERATOR_CONFIG,
  OPERATOR_NAME,
  WEBHOOK_CONFIGURATION,
} from "../../api/names.ts";
import type { Permission, PolicyVerb } from "./permission.ts";
import { RBAC, SLICES } from "./shared-resources.ts";

/** The ready Roles for people; the ones that give less come first. */
export const PERSON_ROLES = ["reader", "login", "database-editor", "cluster-editor", "upgrader", "installer"] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** Objects of known names that a right of people is limited to. */
export type PersonNames = "loginSecrets" | readonly string[];

/** What holders of some Roles may do with one resource. */
export interface PersonRight extends Pick<Permission, "group" | "resource"> {
  readonly roles: readonly PersonRole[];
  readonly verbs: readonly PolicyVerb[];
  /** Only objects of these names; every one when absent. */
  readonly only?: PersonNames;
  /** It belongs to no namespace. */
  readonly isClusterWide?: true;
  readonly why: string;
}

const LOOK = ["reader", "database-editor", "cluster-editor", "upgrader"] as const;
const READ = ["get", "list", "watch"] as const;
const OPERATOR = [OPERATOR_NAME] as const;
const INSTALL = ["installer"] as const;
const DEFINITIONS = Object.values(KINDS).map(({ plural }) => `${plural}.${API_GROUP}`);
const WEBHOOKS = { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" } as const;

/** Where each right of people is: the ready Roles, the messages of storectl and docs/permissions.md are made from this table. */
export const PERSON_RIGHTS: readonly PersonRight[] = [
  ...Object.values(KINDS).map(({ plural }) =>
    own(plural, READ, LOOK, "the objects say what is asked for and how it is"),
  ),
  core("pods", READ, LOOK, "where nodes run, and whether the operator does"),
  core("pods/log", ["get"], LOOK, "`storectl support-bundle`, and remedies that show a log"),
  core("events", READ, LOOK, "since when something waits"),
  core("persistentvolumeclaims", READ, LOOK, "the volumes of nodes"),
  core("configmaps", READ, LOOK, "the records of a cluster, for `storectl recover` and `support-bundle`"),
  core("services", READ, LOOK, "the addresses of databases and of the webhook"),
  core("resourcequotas", READ, LOOK, "what a quota that refuses pods lacks now"),
  { group: "apps", resource: "statefulsets", verbs: READ, roles: LOOK, why: "how far a roll is" },
  { group: "apps", resource: "deployments", verbs: READ, roles: [...LOOK, "installer"], why: "the operator" },
  { ...SLICES, verbs: READ, roles: LOOK, why: "whether the webhook has an address" },
  { group: "networking.k8s.io", resource: "networkpolicies", verbs: READ, roles: LOOK, why: "which ports are open" },
  { group: "policy", resource: "poddisruptionbudgets", verbs: READ, roles: LOOK, why: "what holds a drain up" },
  { group: RBAC, resource: "roles", verbs: READ, roles: LOOK, why: "what the operator and nodes may do" },
  { group: RBAC, resource: "rolebindings", verbs: READ, roles: LOOK, why: "who is bound to an old constraint" },
  {
    group: "authorization.k8s.io",
    resource: "localsubjectaccessreviews",
    verbs: ["create"],
    roles: LOOK,
    why: "`storectl preflight` asks what the operator may do",
  },
  wide({ group: "", resource: "nodes" }, ["get", "list"], LOOK, "the workers"),
  wide(definitions(), ["get"], [...LOOK, "installer"], "the definitions of our kinds", DEFINITIONS),
  wide(WEBHOOKS, ["get", "list"], LOOK, "the admission webhook"),
  wide(
    { group: "security.openshift.io", resource: "securitycontextconstraints" },
    ["get"],
    LOOK,
    "a constraint of old releases (on OpenShift)",
    [OLD_CONSTRAINT],
  ),
  {
    ...core(
      "secrets",
      ["get"],
      ["login", "upgrader"],
      "the login of the management API, and the authority of its nodes",
    ),
    only: "loginSecrets",
  },
  own(KINDS.cluster.plural, ["patch"], ["upgrader"], "the tag of the next release, and other fields of the spec"),
  own(KINDS.database.plural, ["patch"], ["upgrader"], "the next version of a database"),
  own(KINDS.cluster.plural, ["create", "update", "patch", "delete"], ["cluster-editor"], "clusters"),
  ...[KINDS.database, KINDS.activeActive, KINDS.remoteCluster].map(({ plural }) =>
    own(plural, ["create", "update", "patch", "delete"], ["database-editor"], "databases and their sites"),
  ),
  ...[KINDS.backup, KINDS.backupSchedule].map(({ plural }) =>
    own(
      plural,
      ["create", "update", "patch", "delete"],
      ["database-editor"],
      "backups of databases: who makes one may send the data of a database anywhere",
    ),
  ),
  own(
    KINDS.restore.plural,
    ["create", "update", "patch", "delete"],
    ["database-editor"],
    "restores of backups: who makes one makes a database with the data of a backup of the namespace",
  ),
  ...[
    { group: RBAC, resource: "roles", only: OPERATOR },
    { group: RBAC, resource: "rolebindings", only: OPERATOR },
    { group: "", resource: "serviceaccounts", only: OPERATOR },
    { group: "", resource: "services", only: [ADMISSION_SERVICE] },
    { group: "networking.k8s.io", resource: "networkpolicies", only: [ADMISSION_SERVICE] },
    { group: "apps", resource: "deployments", only: OPERATOR },
  ].flatMap(({ group, resource, only }): PersonRight[] => [
    {
      group,
      resource,
      verbs: ["create"],
      roles: INSTALL,
      why: "an object of the bundle; what is created cannot be limited to names",
    },
    { group, resource, only, verbs: ["get", "patch"], roles: INSTALL, why: "an object of the bundle" },
  ]),
  {
    group: RBAC,
    resource: "roles",
    verbs: ["escalate", "bind"],
    roles: INSTALL,
    only: OPERATOR,
    why: "the Role of the operator has more than its installer",
  },
  { ...core("configmaps", ["get"], INSTALL, "the namespaces that the operator manages"), only: [OPERATOR_CONFIG] },
  wide({ group: "", resource: "namespaces" }, ["list"], INSTALL, "namespaces that are managed by their label"),
  wide(definitions(), ["create"], INSTALL, "the definitions of our kinds; what is created cannot be limited to names"),
  wide(definitions(), ["patch"], INSTALL, "the definitions of our kinds", DEFINITIONS),
  wide(WEBHOOKS, ["patch", "delete"], INSTALL, "the certificate of the webhook, and the webhook of old releases", [
    WEBHOOK_CONFIGURATION,
    OLD_WEBHOOK_CONFIGURATION,
  ]),
];

function own(resource: string, verbs: readonly PolicyVerb[], roles: readonly PersonRole[], why: string): PersonRight {
  return { group: API_GROUP, resource, verbs, roles, why };
}

function core(resource: string, verbs: readonly PolicyVerb[], roles: readonly PersonRole[], why: string): PersonRight {
  return { group: "", resource, verbs, roles, why };
}

function wide(
  place: Pick<PersonRight, "group" | "resource">,
  verbs: readonly PolicyVerb[],
  roles: readonly PersonRole[],
  why: string,
  only?: readonly string[],
): PersonRight {
  return { ...place, verbs, roles, why, isClusterWide: true, ...(only !== undefined && { only }) };
}

function definitions(): Pick<PersonRight, "group" | "resource"> {
  return { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
}
