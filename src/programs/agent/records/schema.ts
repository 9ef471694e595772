import { z } from "zod";
import { FORMAT, isKnownFormat, SLOTS_FORMAT } from "../../../core/api/format.ts";
import { MANAGEMENT_ROLES } from "../../../core/api/management-roles.ts";
import { finding } from "../../../core/api/parts.ts";
import { DATABASE_STATES, DATABASE_VERSIONS, RESHAPE_PHASES } from "../../../core/api/records.ts";
import type { ClusterStateRecord, DatabaseRecord } from "../../../core/api/records.ts";
import { STORED_FIELDS } from "../../../core/api/settings/fields.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { whyNotServable } from "../../../core/records/slots-of-shards.ts";
import { fromStored, type StoredDatabase } from "../../../core/records/stored-database.ts";

// Objects are loose: an agent of an older release keeps the fields that a newer one has written.

const count = z.int().nonnegative();
const action = z.looseObject({
  uid: z.string(),
  name: z.string(),
  status: z.enum(["queued", "running", "completed", "failed"]),
  progress: z.number(),
  error: z.string().exactOptional(),
});

const port = z.int().min(1).max(65_535);

const inSync = z.looseObject({
  epoch: count,
  members: z.array(count),
  joining: z.array(count).exactOptional(),
  version: count.exactOptional(),
});

const recovery = z.looseObject({
  lacks: z.string(),
  consent: z.literal(true).exactOptional(),
  empty: z.literal(true).exactOptional(),
  awaited: z.literal(true).exactOptional(),
});

const slots = z.array(z.looseObject({ from: count, to: count }));

const shard = z
  .looseObject({
    id: count,
    epoch: count,
    primary: count,
    instances: z.array(
      z.looseObject({
        id: count,
        node: count,
        port,
        storeVersion: z.enum(DATABASE_VERSIONS),
        tls: z.literal(true).exactOptional(),
        launch: count,
      }),
    ),
    switchover: z.looseObject({ to: count, epoch: count, forced: z.literal(true).exactOptional() }).exactOptional(),
    inSync: inSync.exactOptional(),
    recovery: recovery.exactOptional(),
    slots: slots.exactOptional(),
    share: count.exactOptional(),
  })
  .refine(({ primary, instances }) => instances.some(({ id }) => id === primary), {
    error: "no instance has the id of the primary",
  });

/** Of shards that serve, or that are to. */
const shards = z
  .array(shard)
  .refine((all) => areUnique(all.map(({ id }) => id)), { error: "two shards have one id" })
  .refine((all) => areUnique(all.flatMap(({ instances }) => instances.map(({ id }) => id))), {
    error: "two instances have one id",
  });

const reshape = z.looseObject({
  tableEpoch: count,
  phase: z.enum(RESHAPE_PHASES),
  shards,
  mover: z.looseObject({ node: count, ports: z.array(port) }),
  attempt: count,
  since: z.string(),
  failed: z.looseObject({ code: z.string(), why: z.string() }).exactOptional(),
  until: z.string().exactOptional(),
});

const formatUpTo = (newest: number) =>
  z
    .number()
    .refine((written) => isKnownFormat(written, newest), {
      error: `must be at most ${newest}: a node of a newer release wrote it`,
    })
    .exactOptional();

const database: z.ZodType<StoredDatabase> = z.looseObject({
  format: formatUpTo(SLOTS_FORMAT),
  uid: count,
  name: z.string(),
  ...STORED_FIELDS,
  port,
  clusterPort: port.exactOptional(),
  storeVersion: z.enum(DATABASE_VERSIONS),
  status: z.enum(DATABASE_STATES),
  modules: z.array(z.looseObject({ name: z.string(), args: z.string() })).exactOptional(),
  shards,
  shardCount: count.exactOptional(),
  shardSlots: z.array(z.looseObject({ slots, share: count.exactOptional() })).exactOptional(),
  mayDiscardMisplaced: z.literal(true).exactOptional(),
  reshape: reshape.exactOptional(),
  nextShard: count.exactOptional(),
  tableEpoch: count.exactOptional(),
  nextInstance: count,
  upgrade: z
    .looseObject({
      target: z.enum(DATABASE_VERSIONS),
      actionUid: z.string(),
      startedAt: z.string(),
      mayDiscardData: z.boolean(),
      parallelShards: count.exactOptional(),
      waitingFor: z.string(),
    })
    .exactOptional(),
  recovery: recovery.exactOptional(),
  lastAction: action.exactOptional(),
  passwords: z
    .looseObject({
      revision: count,
      overlapUntil: z.string().exactOptional(),
      engines: z.enum(["shared", "closed"]).exactOptional(),
      rotation: z
        .looseObject({ state: z.enum(["offered", "used", "ended"]), since: z.string(), step: count })
        .exactOptional(),
    })
    .exactOptional(),
  clientParameters: z.looseObject({ revision: count, values: z.string() }).exactOptional(),
  certificate: z.looseObject({ certificate: z.string(), clientAuthorities: z.string() }).exactOptional(),
  activeActive: z.looseObject({ guid: z.string(), site: count, slices: count.exactOptional() }).exactOptional(),
  awaitsSites: z.literal(true).exactOptional(),
  sitesJoined: z.array(z.string()).exactOptional(),
  waitingFor: z.string().exactOptional(),
  obstacle: finding.exactOptional(),
  lossReports: z.array(z.string()),
  createdTime: z.string(),
  lastChangedTime: z.string(),
});

const installedModule = z.looseObject({
  uid: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string(),
  displayName: z.string(),
  version: z.string(),
  compatible: z.string(),
  platforms: z.array(z.string()),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: count,
  args: z.string(),
  actionUid: z.string(),
  installedTime: z.string(),
});

const recordEdit = z.looseObject({ count, author: z.string() });

const activeActive = z.looseObject({
  guid: z.string(),
  name: z.string(),
  deleted: z.literal(true).exactOptional(),
  version: z.string(),
  participants: z.array(
    z.looseObject({
      name: z.string(),
      namespace: z.string().optional(),
      externalReplicationPort: z.number().optional(),
      shardCount: z.number().optional(),
    }),
  ),
  configuration: z.record(z.string(), z.unknown()),
  edit: recordEdit,
  numbers: z
    .looseObject({
      next: count,
      first: count.exactOptional(),
      given: z.array(z.looseObject({ name: z.string(), id: count })),
      edit: recordEdit,
    })
    .exactOptional(),
});

const remoteSite = z.looseObject({
  name: z.string(),
  local: z.literal(true).exactOptional(),
  host: z.string(),
  databaseSuffix: z.string().exactOptional(),
  serverName: z.string(),
  authorities: z.string(),
});

const cluster: z.ZodType<ClusterStateRecord> = z.looseObject({
  format: formatUpTo(FORMAT),
  createdTime: z.string(),
  nextDatabase: count,
  maintenance: z.array(
    z.looseObject({
      node: count,
      cause: z.enum(["request", "shutdown"]),
      demote: z.boolean(),
      state: z.enum(["evacuating", "on", "returning"]),
      since: z.string(),
      waitingFor: z.string(),
      action,
    }),
  ),
  modules: z.array(installedModule).exactOptional(),
  license: z.string().exactOptional(),
  nextUserSecret: count.exactOptional(),
  nextUser: count.exactOptional(),
  users: z
    .array(
      z.looseObject({
        uid: count,
        email: z.string(),
        name: z.string(),
        role: z.enum(MANAGEMENT_ROLES),
        secret: z.string(),
      }),
    )
    .exactOptional(),
  operator: z.string().exactOptional(),
  upgradePolicy: STORED_FIELDS.upgradePolicy.exactOptional(),
  activeActives: z.array(activeActive).exactOptional(),
  remoteSites: z.array(remoteSite).exactOptional(),
  setAsideRetentionDays: count.exactOptional(),
  deleted: z.array(z.looseObject({ uid: count, createdTime: z.string(), at: z.string() })).exactOptional(),
  finished: z.array(action.extend({ object: z.string() })),
});

/**
 * The database record in a ConfigMap's `data.record`, which belongs to the database that the name `where` ends with;
 * AGENT_BAD_RECORD names the object and the field.
 */
export function parseDatabaseRecord(text: string, where: string): DatabaseRecord {
  const ofThis = database.refine(({ uid }) => where.endsWith(`-${uid}`), { error: "it is that of another database" });
  const record = fromStored(parse(ofThis, text, where));
  const objection = whyNotServable(record);
  if (objection !== undefined) throw badRecord(where, objection);
  return record;
}

/** The cluster record in a ConfigMap's `data.record`; AGENT_BAD_RECORD names the object and the field. */
export function parseClusterRecord(text: string, where: string): ClusterStateRecord {
  return parse(cluster, text, where);
}

function areUnique(ids: readonly number[]): boolean {
  return new Set(ids).size === ids.length;
}

function parse<T>(schema: z.ZodType<T>, text: string, where: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw badRecord(where, reason, error);
  }
}

/** AGENT_BAD_RECORD about the record in the ConfigMap of this name. */
export function badRecord(where: string, reason: string, cause?: unknown): Fault {
  return new Fault(faults.badRecord, `the record in configmap ${where} is not usable: ${reason}`, { where }, cause);
}
