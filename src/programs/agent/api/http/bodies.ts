import { z } from "zod";
import { MOST_SHARDS, shardSlots } from "../../../../core/api/database-spec.ts";
import { MANAGEMENT_ROLES } from "../../../../core/api/management-roles.ts";
import { ENDPOINT_PORTS } from "../../../../core/api/names.ts";
import { STORE_VERSIONS } from "../../../../core/api/records.ts";
import type { StoreVersion } from "../../../../core/api/records.ts";
import { engineParametersText } from "../../../../core/api/settings/engine-parameter-fields.ts";
import { CHANGE_FIELDS, CREATE_FIELDS } from "../../../../core/api/settings/fields.ts";
import { BACKUP_FOLDER, BACKUP_NAME } from "../../../../core/backup/layout.ts";
import type { Fault } from "#kit/base/fault";
import { CLUSTER_POLICY } from "../../../../ports/management/records/cluster.ts";
import { BACKUP_FILE } from "../../../../core/backup/manifest.ts";
import { ENCRYPTION_KEYS, OBJECT_STORE } from "../../../../ports/management/records/backups.ts";
import { routes } from "../../../../ports/management/routes.ts";
import type { BodyOf, RouteName } from "../../../../ports/management/routes.ts";
import { activeActiveBody, isVersion, remoteSitesBody, siteOfDatabaseBody } from "../databases/active-active-body.ts";
import { inOneWord, PERSISTENCE_FIELDS } from "../databases/persistence-words.ts";
import { moverQuestion } from "../cluster/mover-question.ts";
import { proxyCommand } from "../cluster/proxy-command.ts";
import { refusals, refuse } from "./refusals.ts";

/** What requests may send. */
export interface Bodies {
  /** The validated body of a request to `route`; throws a refusal that names the field and its permitted values. */
  parse<N extends RouteName>(route: N, sent: unknown): BodyOf<N>;
  schema(route: RouteName): z.ZodType;
}

/** The bodies that a release takes which supports these versions of databases; made once, as schemas cost more than a request. */
export function bodiesFor(supported: readonly StoreVersion[]): Bodies {
  const schemas = schemasFor(supported);
  return {
    parse: (route, sent) => {
      const parsed = schemas[route].safeParse(sent ?? undefined);
      if (parsed.success) return parsed.data;
      throw refusalOfIssue(parsed.error.issues[0], supported);
    },
    schema: (route) => schemas[route],
  };
}

const recovery = z
  .strictObject({
    recover_without_data: z.boolean().exactOptional(),
    set_aside: z.strictObject({ node: z.int().positive(), id: z.string().min(1).max(64) }).exactOptional(),
  })
  .default({});

const backup = z.strictObject({
  name: z.string().regex(BACKUP_NAME, "must be a name as Kubernetes objects have"),
  folder: z.string().regex(BACKUP_FOLDER, "must be up to 8 folders, each of letters, digits and . _ -"),
  s3: OBJECT_STORE,
  verify: z.boolean().default(true),
  bytes_per_second: z.int().min(1_000_000).exactOptional(),
  encryption: ENCRYPTION_KEYS.exactOptional(),
});
const inspection = backup.omit({ verify: true, bytes_per_second: true });
const restore = backup.omit({ verify: true }).extend({ replaces_lost_data: z.boolean().exactOptional() });
const fileRestore = backup.omit({ verify: true }).extend({
  bdb: z.int().positive(),
  instance: z.int().positive(),
  file: BACKUP_FILE,
  attempt: z.string().max(64),
});

type Schemas = { readonly [N in RouteName]: z.ZodType<BodyOf<N>> };

function schemasFor(supported: readonly StoreVersion[]): Schemas {
  const optional = optionalFields(supported);
  return {
    ...NO_BODIES,
    updateCluster: z.strictObject({
      operator_version: z.string().max(64).refine(isVersion, "must be a version such as 8.2.0-12"),
    }),
    updateClusterPolicy: CLUSTER_POLICY,
    putRemoteSites: remoteSitesBody,
    installLicense: z.strictObject({ license: z.string().min(1).max(16_384) }),
    uploadModule: z.strictObject({ module: z.instanceof(Blob) }),
    createBdb: z
      .strictObject({ ...optional, ...FIXED, ...OF_CREATION, name, ...CREATE_FIELDS, ...PERSISTENCE_FIELDS })
      .transform(withoutFixed)
      .transform(inOneWord),
    updateBdb: z
      .strictObject({ ...optional, ...FIXED, ...OF_CHANGES, ...CHANGE_FIELDS, ...PERSISTENCE_FIELDS })
      .transform(withoutFixed)
      .transform(inOneWord),
    upgradeBdb: upgradeBody(supported),
    ...OF_PASSWORDS,
    setClientParameters: z.strictObject({ parameters: engineParametersText }),
    recoverBdb: recovery,
    startBackup: backup,
    startRestore: restore,
    inspectBackup: inspection,
    removeBackup: inspection,
    putCrdb: activeActiveBody,
    maintenanceOn: z.strictObject({ demote_node: z.boolean().exactOptional() }).default({}),
    ...OF_USERS,
    // which process of the node asks, as its Lease counts them; nodes of releases before 0.5.0 do not say it
    localVouch: z.strictObject({ node: z.int().positive(), transitions: z.int().nonnegative().exactOptional() }),
    localConsent: z.strictObject({ node: z.int().positive() }),
    localProxy: proxyCommand,
    localMover: moverQuestion,
    localRestore: fileRestore,
  };
}

function upgradeBody(supported: readonly StoreVersion[]) {
  return z.strictObject({
    store_version: z.enum(targetsOf(supported)).exactOptional(),
    may_discard_data: z.boolean().exactOptional(),
    parallel_shards_upgrade: CHANGE_FIELDS.parallel_shards_upgrade,
  });
}

const none = z.undefined({ error: "takes no body" });

type BodilessRoute = { [N in RouteName]: BodyOf<N> extends undefined ? N : never }[RouteName];

const NO_BODIES = Object.fromEntries(
  Object.entries(routes).flatMap(([route, { takes }]) => (takes === "nothing" ? [[route, none]] : [])),
) as Readonly<Record<BodilessRoute, typeof none>>; // what a route takes says the same as the type of its body

const secret = z.string().max(512);
const pem = z.string().max(65_536);
const certificate = z.strictObject({
  certificate: pem.min(1),
  key: pem.min(1),
  client_authorities: pem.exactOptional(),
});
const databasePassword = z.strictObject({ password: secret.min(1) });

const OF_PASSWORDS = {
  addPassword: databasePassword,
  replacePasswords: databasePassword,
  removePassword: databasePassword,
};

const name = z.string().regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/i, "must be 1 to 63 letters, digits and hyphens");

const OF_CHANGES = { name: name.exactOptional(), may_discard_data: z.boolean().exactOptional() };

function optionalFields(supported: readonly StoreVersion[]) {
  return {
    port: z.int().min(ENDPOINT_PORTS.first).max(ENDPOINT_PORTS.last).exactOptional(),
    shards_count: z.int().min(1).max(MOST_SHARDS).exactOptional(),
    shard_slots: shardSlots.exactOptional(),
    sharding: z.boolean().exactOptional(),
    redis_version: z.enum(supported).exactOptional(),
    module_list: z.array(databaseModule).max(64).exactOptional(),
    authentication_redis_pass: secret.exactOptional(),
    tls_certificate: certificate.exactOptional(),
    active_active: siteOfDatabaseBody.exactOptional(),
  };
}

/** What clients of such APIs say of a database, and what has one value here. */
const OF_CREATION = { awaits_data: z.boolean().exactOptional() };

const FIXED = {
  type: always("redis"),
  default_user: always(true),
  rack_aware: always(false),
  bigstore: always(false),
  crdt: always(false),
  auto_upgrade: always(false),
};

function always<const Value extends string | boolean>(value: Value) {
  return z.literal(value, { error: `is always ${JSON.stringify(value)} here` }).exactOptional();
}

/** A leader of release 0.1.0 refuses them, and they change nothing. */
function withoutFixed<Body extends object>(body: Body): Omit<Body, keyof typeof FIXED> {
  const kept = Object.entries(body).filter(([member]) => !(member in FIXED));
  return Object.fromEntries(kept) as Omit<Body, keyof typeof FIXED>; // the members of FIXED are gone
}

const databaseModule = z.strictObject({
  module_name: z.string().regex(/^[\w.+-]{1,64}$/, "must be 1 to 64 letters, digits and . + - _"),
  module_args: z
    .string()
    .max(4096)
    .regex(/^[^\r\n]*$/, "must be one line")
    .exactOptional(),
});

const email = z.email({ error: "must be an e-mail address" }).max(254);
const userName = z
  .string()
  .max(128)
  .regex(/^[^\p{C}]+$/u, "must be text of one line");
const password = z
  .string()
  .min(8)
  .max(128)
  .regex(/^[^\p{Cc}]*$/u, "must have no control characters");
const role = z.enum(MANAGEMENT_ROLES);

const OF_USERS = {
  createUser: z.strictObject({ email, password, role, name: userName.exactOptional() }),
  updateUser: z.strictObject({
    password: password.exactOptional(),
    role: role.exactOptional(),
    name: userName.exactOptional(),
  }),
};

function refusalOfIssue(issue: z.core.$ZodIssue | undefined, supported: readonly StoreVersion[]): Fault {
  const field = issue?.path.join(".") ?? "";
  const message = `${field === "" ? "the body" : field}: ${issue?.message ?? "not acceptable"}`;
  switch (field) {
    case "redis_version":
      return refuseVersion(field, supported);
    case "store_version":
      return refuseVersion(field, targetsOf(supported));
    case "shards_count":
      return refuse(refusals.invalidSharding, message);
    default:
      return refuse(refusals.badRequest, message, { field });
  }
}

/** What a database may be upgraded to (§4.2): one that is older than what is supported only comes from old releases. */
function targetsOf(carried: readonly StoreVersion[]): readonly StoreVersion[] {
  return STORE_VERSIONS.filter((version) => carried.includes(version));
}

function refuseVersion(field: string, allowed: readonly StoreVersion[]): Fault {
  const message = `${field} must be one of the versions this release supports: ${allowed.join(", ")}`;
  return refuse(refusals.invalidVersion, message);
}
