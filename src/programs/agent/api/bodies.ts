import { z } from "zod";
import { MANAGEMENT_ROLES } from "../../../core/api/management-roles.ts";
import { ENDPOINT_PORTS } from "../../../core/api/names.ts";
import { STORE_VERSIONS } from "../../../core/api/records.ts";
import type { ActiveActiveRecord, StoreVersion } from "../../../core/api/records.ts";
import { CHANGE_FIELDS, CREATE_FIELDS } from "../../../core/api/settings/fields.ts";
import type { Fault } from "../../../core/base/fault.ts";
import { parseVersion } from "../../../core/base/version.ts";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import type { BodyOf, RouteName } from "../../../ports/management/routes.ts";
import { refusals, refuse } from "./refusals.ts";

/** Longest configuration of an Active-Active database, in bytes of JSON. */
const CONFIGURATION_BYTES = 16_384;

/** The body of `route` out of what was sent; a refusal that names the field and what it may be. */
export function parseBody<N extends RouteName>(route: N, sent: unknown, supported: readonly StoreVersion[]): BodyOf<N> {
  const parsed = schemas(supported)[route].safeParse(sent ?? undefined);
  if (parsed.success) return parsed.data;
  throw refusalOfIssue(parsed.error.issues[0], supported);
}

type Schemas = { readonly [N in RouteName]: z.ZodType<BodyOf<N>> };

function schemas(supported: readonly StoreVersion[]): Schemas {
  const none = z.undefined({ error: "takes no body" });
  const optional = optionalFields(supported);
  return {
    bootstrap: none,
    cluster: none,
    updateCluster: z.strictObject({
      operator_version: z.string().max(64).refine(isVersion, "must be a version such as 8.2.0-12"),
    }),
    license: none,
    installLicense: z.strictObject({ license: z.string().min(1).max(16_384) }),
    nodes: none,
    node: none,
    modules: none,
    uploadModule: z.strictObject({ module: z.instanceof(Uint8Array<ArrayBuffer>) }),
    deleteModule: none,
    localModule: none,
    bdbs: none,
    bdb: none,
    createBdb: z.strictObject({ ...optional, name, ...CREATE_FIELDS }),
    updateBdb: z.strictObject({ ...optional, name: name.exactOptional(), ...CHANGE_FIELDS }),
    deleteBdb: none,
    upgradeBdb: z.strictObject({
      store_version: z.enum(targetsOf(supported)).exactOptional(),
      may_discard_data: z.boolean().exactOptional(),
    }),
    crdbs: none,
    putCrdb: activeActive,
    actions: none,
    action: none,
    maintenanceOn: z.strictObject({ demote_node: z.boolean().exactOptional() }).default({}),
    maintenanceOff: none,
    nodeAction: none,
    users: none,
    user: none,
    createUser: z.strictObject({ email, password, role, name: userName.exactOptional() }),
    updateUser: z.strictObject({
      password: password.exactOptional(),
      role: role.exactOptional(),
      name: userName.exactOptional(),
    }),
    deleteUser: none,
    localInstances: none,
    localVouch: z.strictObject({ node: z.int().positive() }),
    localProxy: proxyCommand,
  };
}

const name = z.string().regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/i, "must be 1 to 63 letters, digits and hyphens");

function optionalFields(supported: readonly StoreVersion[]) {
  return {
    port: z.int().min(ENDPOINT_PORTS.first).max(ENDPOINT_PORTS.last).exactOptional(),
    shards_count: z.literal(1, { error: "only 1 shard a database is supported by this release" }).exactOptional(),
    redis_version: z.enum(supported).exactOptional(),
    module_list: z.array(databaseModule).max(64).exactOptional(),
    authentication_redis_pass: z.string().max(512).exactOptional(),
  };
}

const siteName = z
  .string()
  .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, "must be small letters, digits and hyphens");

const activeActive: z.ZodType<ActiveActiveRecord> = z.strictObject({
  guid: z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, hyphens and underscores"),
  name: siteName,
  deleted: z.literal(true).exactOptional(),
  version: z.string().max(16).refine(isVersion, 'must be a version such as "8.0"'),
  participants: z
    .array(
      z.strictObject({
        name: siteName,
        namespace: z.string().max(63).optional(),
        externalReplicationPort: z.int().min(1).max(65_535).optional(),
      }),
    )
    .min(1)
    .max(16),
  configuration: z
    .record(z.string().max(64), z.unknown())
    .refine(
      (given) => JSON.stringify(given).length <= CONFIGURATION_BYTES,
      `must be at most ${CONFIGURATION_BYTES} long`,
    ),
  edit: z.strictObject({ count: z.int().positive(), author: siteName }),
});

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

const bdb = z.int().positive();
const epoch = z.int().nonnegative();
const target = z.strictObject({ host: z.ipv4().or(z.ipv6()), port: z.int().min(1).max(65_535) });
const milliseconds = z.int().nonnegative().max(600_000);

const proxyCommand: z.ZodType<ProxyCommand> = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("prepare"), bdb, epoch, target }),
  z.strictObject({ op: z.literal("hold"), bdb, epoch, drainMs: milliseconds, holdMs: milliseconds }),
  z.strictObject({ op: z.literal("fence"), bdb, epoch }),
  z.strictObject({ op: z.literal("release"), bdb, epoch, target }),
  z.strictObject({ op: z.literal("abort"), bdb, epoch }),
  z.strictObject({ op: z.literal("drain"), deadlineMs: milliseconds }),
  z.strictObject({ op: z.literal("undrain") }),
  z.strictObject({ op: z.literal("stats") }),
]);

function isVersion(text: string): boolean {
  return parseVersion(text) !== undefined;
}

function refusalOfIssue(issue: z.core.$ZodIssue | undefined, supported: readonly StoreVersion[]): Fault {
  const field = issue?.path.join(".") ?? "";
  const said = `${field === "" ? "the body" : field}: ${issue?.message ?? "not acceptable"}`;
  switch (field) {
    case "redis_version":
      return refuseVersion(field, supported);
    case "store_version":
      return refuseVersion(field, targetsOf(supported));
    case "shards_count":
      return refuse(refusals.invalidSharding, said);
    default:
      return refuse(refusals.badRequest, said, { field });
  }
}

/** What a database may be upgraded to (§4.2): one that is older than what is supported only comes from old releases. */
function targetsOf(carried: readonly StoreVersion[]): readonly StoreVersion[] {
  return STORE_VERSIONS.filter((version) => carried.includes(version));
}

function refuseVersion(field: string, allowed: readonly StoreVersion[]): Fault {
  const said = `${field} must be one of the versions this release supports: ${allowed.join(", ")}`;
  return refuse(refusals.invalidVersion, said);
}
