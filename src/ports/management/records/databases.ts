import { z } from "zod";
import {
  DATABASE_STATES,
  DATABASE_VERSIONS,
  type SiteOfDatabase,
  type StoreVersion,
} from "../../../core/api/records.ts";
import { SYNC_STATES } from "../../../core/api/states.ts";
import { ANSWERED_FIELDS } from "../../../core/api/settings/fields.ts";
import type { WireSettings } from "../../../core/api/settings/types.ts";
import type { Answered } from "./answered.ts";
import { BDB_ENDPOINT } from "./endpoints.ts";

const LOADED_MODULE = z.strictObject({
  module_name: z.string(),
  semantic_version: z.string().describe("Empty while no engine has it loaded."),
  module_args: z.string().exactOptional().describe("Of a module that the database asked for; absent from the others."),
});

/** `GET /v1/bdbs`. Nodes give every setting; those of an older release lack the ones that came later. */
export const BDB = z
  .strictObject({
    uid: z.int().positive(),
    name: z.string(),
    type: z.literal("redis"),
    status: z.enum(DATABASE_STATES).describe("import-pending is part of the enumeration and never set."),
    version: z.string().describe('Full version of the serving engine, for instance "8.0.2"; empty while none serves.'),
    version_display: z
      .string()
      .describe('The serving engine\'s name and version, with the stand-in marked: "8.2 (stand-in: redis 8.0.2)".'),
    stand_in: z
      .boolean()
      .exactOptional()
      .describe("Whether the serving engine stands in for that of the database version; absent while none serves."),
    redis_version: z.enum(DATABASE_VERSIONS),
    upgrades_to: z
      .enum(DATABASE_VERSIONS)
      .exactOptional()
      .describe("Where an upgrade that is under way leads; never from nodes of releases before 0.5.0."),
    ...ANSWERED_FIELDS,
    port: z.int().positive(),
    oss_cluster_port: z
      .int()
      .positive()
      .exactOptional()
      .describe(
        "The port at the addresses of the nodes to which libraries in cluster mode are sent; only with `oss_cluster`, never from nodes of releases before 0.6.0.",
      ),
    shards_count: z.int().positive(),
    shards_count_asked: z
      .int()
      .positive()
      .exactOptional()
      .describe(
        "The number of shards that is asked for, while it has another one; never from nodes of releases before 0.6.0.",
      ),
    shard_slots: z
      .array(z.string())
      .exactOptional()
      .describe("The slots of each shard, as `0-4095,8192`, in order; never from nodes of releases before 0.6.0."),
    shard_slots_asked: z
      .array(z.string())
      .exactOptional()
      .describe("The slots that each shard is to have, while they are named and do not serve."),
    sharding: z
      .boolean()
      .exactOptional()
      .describe("Whether it has several shards; never from nodes of releases before 0.6.0."),
    shard_list: z.array(z.int().positive()).describe("uids of its shards; the shards are at `/v1/bdbs/<uid>/shards`."),
    epoch: z.int().nonnegative().describe("Number of changes of primary so far, summed over shards."),
    endpoints: z.array(BDB_ENDPOINT),
    module_list: z.array(LOADED_MODULE),
    waiting_for: z.string().describe("Why a change waits; empty when none does."),
    obstacle: z
      .strictObject({ id: z.string(), severity: z.string(), evidence: z.string(), remedy: z.string() })
      .exactOptional()
      .describe(
        "The finding that a user must clear before its primary moves, or its number of shards changes; never from nodes of releases before 0.5.0.",
      ),
    recovery: z
      .strictObject({
        lacks: z.string().describe("What is gone; empty when nothing is known to be."),
        needs_consent: z
          .boolean()
          .describe("It waits for `POST /v1/bdbs/<uid>/actions/recover` with `recover_without_data`."),
        awaits_data: z
          .boolean()
          .exactOptional()
          .describe("It waits for `POST /v1/bdbs/<uid>/actions/restore`; absent otherwise."),
      })
      .exactOptional()
      .describe("Only while the status is recovery; never from nodes of older releases."),
    client_parameters: z
      .string()
      .exactOptional()
      .describe(
        "Parameters of the engines that clients have set by `CONFIG SET`, each `name=value`; what the definition says counts before them; " +
          "absent when there are none, and from nodes of releases before 0.4.0.",
      ),
    sync_state: z
      .enum(SYNC_STATES)
      .exactOptional()
      .describe(
        "What replies wait for: `starting`, not yet known to every proxy; `in-sync`, replicas in sync; `degraded`, nothing, as none is in sync; " +
          "`withheld`, the next replica in sync. Only with `durability` sync; never from nodes of releases before 0.4.0.",
      ),
    running_script: z
      .strictObject({
        node_uid: z.string().describe("The node of the primary."),
        client: z.string().describe("Address and port; empty when no endpoint knows it."),
        command: z.string(),
        age_seconds: z.int().nonnegative(),
      })
      .exactOptional()
      .describe(
        "Only while the primary answers nothing but that it runs a script; never from nodes of releases before 0.4.0.",
      ),
    tls_certificate: z
      .strictObject({
        certificate: z.string().describe("PEM; of the endpoints, followed by those between it and its authority."),
        client_authorities: z.string().describe("PEM; who must have signed the certificate of a client. May be empty."),
      })
      .exactOptional()
      .describe("What the endpoints show to clients that speak TLS; never from nodes of releases before 0.4.0."),
    active_active: z
      .strictObject({
        guid: z.string(),
        site: z.int().positive().describe("Number of its site."),
        slices: z
          .int()
          .positive()
          .exactOptional()
          .describe("How many ranges of slots are merged on their own; absent: one, all of its keys."),
      })
      .exactOptional()
      .describe(
        "The Active-Active database that it is a site of; absent from other databases, and from nodes of releases before 0.4.0.",
      ),
    loss_reports: z.array(z.string()),
    action_uid: z.string(),
    created_time: z.string(),
    last_changed_time: z.string(),
  })
  .meta({ id: "Database" });

export type BdbRecord = Answered<typeof BDB>;

/** Body of `POST /v1/bdbs`; `PUT` takes any subset of it. */
export interface BdbCreate extends WireSettings {
  readonly name: string;
  readonly port?: number;
  readonly shards_count?: number;
  /** The slots of each shard, as `0-4095,8192`; absent: those that the shards have, or even ones for another number. */
  readonly shard_slots?: readonly string[];
  /** Whether it has several shards, in words of such APIs; a request in which the two differ is refused. */
  readonly sharding?: boolean;
  readonly redis_version?: StoreVersion;
  readonly authentication_redis_pass?: string;
  /** With its key, which no answer shows; needed before `tls_mode` is enabled or mutual. */
  readonly tls_certificate?: BdbCertificate;
  /** Which site it is; the Active-Active database is one that `GET /v1/crdbs` has under the same name. */
  readonly active_active?: SiteOfDatabase;
  /** Its data are to be restored from a backup: it is in recovery until then. */
  readonly awaits_data?: boolean;
  /** Modules that are not bundled; a change of them is refused. */
  readonly module_list?: readonly { readonly module_name: string; readonly module_args?: string }[];
}

/** Body of `PUT /v1/bdbs/<uid>`. */
export interface BdbChange extends Partial<BdbCreate> {
  /** With another number of shards: keys that none of them would have, because a script did not declare them, are left behind. */
  readonly may_discard_data?: boolean;
}

/** The certificate of the endpoints of a database, all PEM. */
export interface BdbCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The authorities that must have signed the certificate of a client, for `tls_mode` mutual. */
  readonly client_authorities?: string;
}

/** Body of `POST`, `PUT` and `DELETE /v1/bdbs/<uid>/passwords`. */
export interface BdbPassword {
  readonly password: string;
}

/** Body of `POST /v1/bdbs/<uid>/actions/recover`. */
export interface BdbRecover {
  readonly recover_without_data?: boolean;
  /** Data that a node has set aside, as `GET /v1/nodes` names it: it is used instead of what is gone. */
  readonly set_aside?: { readonly node: number; readonly id: string };
}

/** Body of `POST /v1/bdbs/<uid>/upgrade`. */
export interface BdbUpgrade {
  readonly store_version?: string;
  readonly may_discard_data?: boolean;
  /** For this upgrade, instead of what the database says; 0 for no limit. */
  readonly parallel_shards_upgrade?: number;
}
