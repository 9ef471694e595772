import { getObjects, nodeLog } from "../../../../core/api/kubectl.ts";
import { SECRET_NOT_MADE } from "../../../../ports/management/answer.ts";
import { Fault } from "#kit/base/fault";
import type { FaultSpec } from "#kit/base/fault";

interface Refusal extends FaultSpec {
  readonly status: number;
  /** `error_code` of the answer. */
  readonly errorCode: string;
}

/** Every failure that the management API answers with: status, `error_code` and remedy. */
export const refusals = {
  unauthorized: row(
    "AGENT_UNAUTHORIZED",
    401,
    "unauthorized",
    "Use the credentials in the Secret named as the cluster, or those of a user (GET /v1/users).",
  ),
  forbidden: row(
    "AGENT_FORBIDDEN",
    403,
    "insufficient_permissions",
    "Use a user with one of the roles that the description names, or let an administrator change the role of yours.",
  ),
  tooManyLogins: row(
    "AGENT_TOO_MANY_LOGINS",
    429,
    "too_many_requests",
    "Try again in a few seconds: passwords are checked one after the other.",
  ),
  badRequest: row("AGENT_BAD_REQUEST", 400, "bad_request", "Send the JSON object that the description asks for."),
  notJson: row(
    "AGENT_NOT_JSON",
    415,
    "unsupported_media_type",
    "Send JSON with the header Content-Type: application/json.",
  ),
  bodyTooLarge: row(
    "AGENT_BODY_TOO_LARGE",
    413,
    "body_too_large",
    "Send a shorter body: no operation needs a long one.",
  ),
  recordFull: row(
    "AGENT_RECORD_FULL",
    507,
    "record_full",
    "Remove what is not needed any more: users, modules, Active-Active databases, or long settings of the database.",
  ),
  methodNotAllowed: row(
    "AGENT_METHOD_NOT_ALLOWED",
    405,
    "method_not_allowed",
    "Use one of the methods in the header Allow; docs/management-api.md lists them.",
  ),
  noSuchPath: row("AGENT_NO_SUCH_PATH", 404, "not_found", "See docs/management-api.md for the paths that exist."),
  notOffered: row(
    "AGENT_NOT_OFFERED",
    404,
    "not_offered",
    "Use what docs/management-api.md lists; the description says what comes closest.",
  ),
  noSuchObject: row("AGENT_NO_SUCH_OBJECT", 404, "not_found", "List what exists with the path without the uid."),
  notASite: row(
    "AGENT_NOT_A_SITE",
    400,
    "bad_request",
    "Leave active_active to the operator: it follows from the StoreEnterpriseActiveActiveDatabase.",
  ),
  evictsLink: row(
    "AGENT_EVICTS_LINK",
    400,
    "invalid_eviction_policy",
    "Use noeviction, or a policy that begins with volatile-.",
  ),
  unavailable: row(
    "AGENT_UNAVAILABLE",
    503,
    "db_unavailable",
    "Wait until the database serves again; GET /v1/bdbs/<uid> shows what it waits for.",
  ),
  noSuchDatabase: row("AGENT_NO_SUCH_DATABASE", 404, "db_not_exist", "List the databases with GET /v1/bdbs."),
  noSuchShard: row("AGENT_NO_SUCH_SHARD", 404, "shard_not_exist", "List the shards with GET /v1/shards."),
  noSuchNode: row("AGENT_NO_SUCH_NODE", 404, "node_not_found", "List the nodes with GET /v1/nodes."),
  noSuchData: row("AGENT_NO_SUCH_DATA", 404, "data_not_found", "List it with GET /v1/nodes: `set_aside`."),
  noSuchRecord: row(
    "AGENT_NO_SUCH_RECORD",
    404,
    "record_not_found",
    "List what nodes keep with GET /v1/nodes: `missing_records`; or put the ConfigMap back from a copy of your own.",
  ),
  recordUncertain: row(
    "AGENT_RECORD_UNCERTAIN",
    409,
    "record_uncertain",
    "Bring the nodes back that keep it; or put the ConfigMap back from a copy of your own.",
  ),
  backupRuns: row(
    "AGENT_BACKUP_RUNS",
    409,
    "busy",
    "Ask again when it has ended: a cluster takes one backup at a time, so that clients come first.",
  ),
  noSuchBackup: row(
    "AGENT_NO_SUCH_BACKUP",
    404,
    "backup_not_found",
    "Begin it (anew) under its name with POST /v1/bdbs/<uid>/actions/backup: one that is complete is found again.",
  ),
  noSuchAction: row("AGENT_NO_SUCH_ACTION", 404, "action_not_found", "List the actions with GET /v1/actions."),
  nameTaken: row("AGENT_NAME_TAKEN", 409, "name_exists", "Choose another name, or delete the database that has it."),
  dataSetAside: row(
    "AGENT_DATA_SET_ASIDE",
    409,
    "data_set_aside",
    "Put the record back (POST /v1/bdbs/<uid>/actions/restore_record), or remove the data for ever: DELETE /v1/nodes/<uid>/set_aside/<id>; GET /v1/nodes lists it.",
  ),
  noModule: row(
    "AGENT_NO_MODULE",
    400,
    "no_module",
    "Send a multipart form with the archive in the file field `module`: curl -F module=@module.zip",
  ),
  invalidModule: row(
    "AGENT_INVALID_MODULE",
    400,
    "invalid_module",
    "Correct what the description names and pack the module again.",
  ),
  wrongPlatform: row(
    "AGENT_WRONG_PLATFORM",
    406,
    "os_not_supported",
    "Upload the build for the machines of the nodes.",
  ),
  clusterTooOld: row(
    "AGENT_CLUSTER_TOO_OLD",
    406,
    "min_redis_pack_version",
    "Upgrade the cluster first, or take an older module.",
  ),
  moduleExists: row(
    "AGENT_MODULE_EXISTS",
    409,
    "module_exists",
    "Give the changed build another version, or delete the installed one.",
  ),
  moduleBundled: row(
    "AGENT_MODULE_BUNDLED",
    406,
    "module_bundled",
    "Use the module that comes with the engine, or pack the build for another database version.",
  ),
  moduleInUse: row("AGENT_MODULE_IN_USE", 406, "module_in_use", "Delete the databases that use it first."),
  noSuchModule: row("AGENT_NO_SUCH_MODULE", 404, "module_not_exist", "List the modules with GET /v1/modules."),
  missingModule: row(
    "AGENT_MISSING_MODULE",
    406,
    "missing_module",
    "Upload the module with POST /v2/modules, then ask again.",
  ),
  noSuchUser: row("AGENT_NO_SUCH_USER", 404, "user_not_exist", "List the users with GET /v1/users."),
  emailTaken: row("AGENT_EMAIL_TAKEN", 409, "email_already_exists", "Change the user that has it, or choose another."),
  clusterAdmin: row(
    "AGENT_CLUSTER_ADMIN",
    406,
    "cannot_change_cluster_admin",
    "Change username and password in the Secret named as the cluster.",
  ),
  tooManyUsers: row("AGENT_TOO_MANY_USERS", 406, "too_many_users", "Delete users that are no longer needed."),
  busy: row("AGENT_BUSY", 409, "busy", "Wait until the running action ends (GET /v1/actions), then ask again."),
  olderNode: row(
    "AGENT_OLDER_NODE",
    409,
    "busy",
    "Upgrade every node of the cluster to its newest release, then ask again.",
  ),
  passwords: row(
    "AGENT_PASSWORDS",
    406,
    "config_not_acceptable",
    "Add another password first (POST /v1/bdbs/<uid>/passwords), or remove one that is accepted.",
  ),
  notInRecovery: row("AGENT_NOT_IN_RECOVERY", 409, "not_recoverable", "Read its status: GET /v1/bdbs/<uid>."),
  dataIsThere: row(
    "AGENT_DATA_IS_THERE",
    409,
    "not_recoverable",
    "Bring the node back, or agree to an older copy first: POST /v1/bdbs/<uid>/actions/recover.",
  ),
  consentMissing: row(
    "AGENT_CONSENT_MISSING",
    406,
    "missing_data_files",
    'Bring the node or its volume back, or agree to the loss: send {"recover_without_data": true}.',
  ),
  licenseExpired: row("AGENT_LICENSE_EXPIRED", 403, "license_expired", "Install a valid licence, then ask again."),
  licenseLimit: row(
    "AGENT_LICENSE_LIMIT",
    406,
    "insufficient_resources",
    "Delete a database or turn its replication off, or install a larger licence.",
  ),
  insufficientResources: row(
    "AGENT_INSUFFICIENT_RESOURCES",
    406,
    "insufficient_resources",
    "Free memory on the nodes, or ask for a smaller memory_size.",
  ),
  invalidVersion: row(
    "AGENT_INVALID_VERSION",
    406,
    "invalid_version",
    "Ask for one of the versions that the description lists.",
  ),
  policyMajor: row(
    "AGENT_POLICY_MAJOR",
    406,
    "invalid_version",
    "Ask for a major version, or change the policy that the description names.",
  ),
  invalidSharding: row(
    "AGENT_INVALID_SHARDING",
    406,
    "invalid_sharding",
    "Leave shards_count and sharding out, or ask for what the message says is possible.",
  ),
  invalidReplication: row(
    "AGENT_INVALID_REPLICATION",
    406,
    "invalid_replication",
    "Add nodes or end their maintenance, or turn replication off.",
  ),
  invalidDurability: row(
    "AGENT_INVALID_DURABILITY",
    406,
    "invalid_durability",
    "Turn replication on, or set durability to async.",
  ),
  noCertificate: row(
    "AGENT_NO_CERTIFICATE",
    406,
    "no_certificate",
    "Send tls_certificate with certificate and key, and with client_authorities for tls_mode mutual.",
  ),
  tlsNotOffered: row(
    "AGENT_TLS_NOT_OFFERED",
    406,
    "tls_not_offered",
    "Upgrade every node of the cluster to its newest release, or set tls_mode to disabled.",
  ),
  engineWithoutTls: row(
    "AGENT_ENGINE_WITHOUT_TLS",
    406,
    "engine_without_tls",
    "Use images whose engines are built with TLS (the log of the node says what an engine answered), or set tls_mode to disabled.",
  ),
  portUnavailable: row("AGENT_PORT_UNAVAILABLE", 406, "port_unavailable", "Leave port out, or ask for a free one."),
  nothingDiscarded: row(
    "AGENT_NOTHING_DISCARDED",
    406,
    "config_not_acceptable",
    "Leave may_discard_data out, or ask for another number of shards.",
  ),
  unchangeable: row("AGENT_UNCHANGEABLE", 406, "config_not_acceptable", "Make a new database with the wanted value."),
  secretNotMade: row(
    "AGENT_SECRET_NOT_MADE",
    503,
    SECRET_NOT_MADE,
    `Look that the operator runs, which makes the Secrets of new databases and users, and what it says of the cluster; then ask again: ${getObjects("deployment/store-enterprise-operator rec")}.`,
  ),
  notJoined: row("AGENT_NOT_JOINED", 503, "node_not_joined", "Ask another node, or wait until this one has joined."),
  takenOver: row("AGENT_TAKEN_OVER", 409, "taken_over", "Nothing: the node that asked stops to acknowledge writes."),
  stale: row("AGENT_STALE", 503, "stale", "Ask another node: the Kubernetes API does not reach this one."),
  noLeader: row("AGENT_NO_LEADER", 503, "no_leader", "Wait a few seconds: the nodes elect a leader."),
  internal: row("AGENT_INTERNAL", 500, "internal_error", `Read the log of this node: ${nodeLog()}.`),
} as const satisfies Record<string, Refusal>;

/** The fault that makes the API answer with `refusal` and `description`. */
export function refuse(refusal: Refusal, description: string, details: Readonly<Record<string, unknown>> = {}): Fault {
  return new Fault(refusal, description, details);
}

/** The row that `error` stands for; `internal` when it is no refusal. */
export function refusalOf(error: unknown): Refusal {
  const code = error instanceof Fault ? error.code : undefined;
  return Object.values(refusals).find((each) => each.code === code) ?? refusals.internal;
}

function row(code: string, status: number, errorCode: string, remedy: string): Refusal {
  return {
    code,
    status,
    errorCode,
    retry: status === 409 || status === 429 || status >= 500 ? "backoff" : "never",
    remedy,
  };
}
