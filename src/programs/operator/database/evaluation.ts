import { firstSlots } from "../../../core/api/awaits-data.ts";
import { homeOf } from "../../../core/api/database-home.ts";
import { databaseSpec, type DatabaseSpec } from "../../../core/api/database-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { SiteOfDatabase } from "../../../core/api/records.ts";
import { settingsOfWire } from "../../../core/api/settings/values.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import type { ClusterConnection } from "../../../mechanisms/observe/management/connections.ts";
import type { ClusterRecords } from "../../../mechanisms/observe/management/cluster-records.ts";
import type { PollResult } from "../../../mechanisms/observe/management/polled-state.ts";
import type { Suspension } from "../../../core/planner/cluster/suspension.ts";
import type { CertificateView } from "../../../core/planner/database/certificate.ts";
import { planDatabase, type DatabaseDecision, type DatabaseView } from "../../../core/planner/database/plan.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import { notReady, type ClusterContext, type Unready } from "../context/cluster-context.ts";
import type { Redb } from "./cluster.ts";
import { changeOf } from "./conditions.ts";
import type { DatabaseFailure } from "./failure.ts";
import type { OwnDatabase } from "./identity.ts";
import { referencesOf } from "./references.ts";
import { secretNameOf, type SecretVerdict } from "./secret-verdict.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import { editObject } from "../../../core/api/kubectl.ts";

/** What was observed of a database, and the decision; without a decision nothing is done. */
export interface DatabaseEvaluation {
  readonly polled: PollResult;
  readonly bdb?: BdbRecord | undefined;
  readonly connection?: ClusterConnection | undefined;
  readonly suspension?: Suspension | undefined;
  readonly unready?: Unready | undefined;
  readonly decision?: DatabaseDecision;
  /** The authority by which clients know the endpoints; empty without TLS, and where it is not known. Absent: as before. */
  readonly authority?: string;
  readonly failure?: DatabaseFailure | undefined;
  /** Why its schedule of backups is not as it asks. Absent: as before. */
  readonly ofSchedule?: readonly Finding[] | undefined;
}

/** The facts about other objects that a database depends on: the Secrets that it names, and what makes it a site. */
export interface DatabaseObjects {
  readonly site: SiteOfDatabase | undefined;
  readonly state: DatabaseView["secret"];
  /** Whether it may use the Secret with its password. */
  readonly secret: SecretVerdict;
  /** Which database of the cluster it stands for. */
  readonly own: (records: ClusterRecords) => Promise<OwnDatabase>;
  /** Of the endpoints of the database as the cluster has it. */
  readonly certificate: (bdb: BdbRecord | undefined) => Promise<CertificateView>;
}

/** Evaluates a database in the context of its cluster; the polled state of the cluster may be `maxAgeMs` old. */
export async function evaluateDatabase(
  redb: Redb,
  context: ClusterContext,
  release: Release,
  objects: DatabaseObjects,
  maxAgeMs: number,
): Promise<DatabaseEvaluation> {
  const { connection, suspension, unready } = context;
  const polled = (await connection?.records(maxAgeMs)) ?? {
    unreachable: unready?.evidence ?? "it cannot be asked yet",
  };
  const { bdb, ...own } = "unreachable" in polled ? {} : await objects.own(polled);
  const seen = { polled, bdb, connection };
  if (suspension !== undefined || unready !== undefined) return { ...seen, suspension, unready };
  if ("unreachable" in polled) return { ...seen, unready: notReady(context.nearby?.name ?? "", polled.unreachable) };
  if (own.unready !== undefined || own.failure !== undefined) return { ...seen, ...own };
  const { failure, warnings } = objects.secret;
  if (failure !== undefined) return { ...seen, failure };
  const spec = readSpec(redb);
  if (typeof spec === "string") return { ...seen, failure: specInvalid(spec, redb.metadata.name) };
  const certificate = await objects.certificate(bdb);
  const references = referencesOf(release, context.nearby, polled, redb);
  const decided = decide(redb, spec, bdb, { secret: objects.state, site: objects.site, certificate, references });
  const decision = { ...decided, warnings: [...warnings, ...decided.warnings] };
  return certificate.state === "wrong"
    ? { ...seen, decision }
    : { ...seen, authority: certificate.authority, decision };
}

function underWay(bdb: BdbRecord): string {
  const change = changeOf(bdb, []);
  return bdb.waiting_for === "" ? change : `${change} (${bdb.waiting_for})`;
}

function specInvalid(evidence: string, name: string): DatabaseFailure {
  return block("SpecInvalid", evidence, editObject(`redb ${name}`));
}

/** The spec with every default filled in; a sentence that names the field when it is not one. */
function readSpec({ spec }: Redb): DatabaseSpec | string {
  const parsed = databaseSpec.safeParse(spec);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
}

function decide(
  redb: Redb,
  spec: DatabaseSpec,
  bdb: BdbRecord | undefined,
  seen: Pick<DatabaseView, "secret" | "site" | "certificate" | "references">,
): DatabaseDecision {
  const drift = redb.status?.conditions?.find(({ type }) => type === "Drifted");
  return planDatabase({
    name: redb.metadata.name,
    spec,
    isEdited: redb.status?.observedGeneration !== redb.metadata.generation,
    wasRefused: drift?.status === "True" && drift.reason === "DowngradeRefused",
    ...seen,
    secretName: secretNameOf(redb),
    home: homeOf(redb.status ?? {}),
    firstSlots: firstSlots(redb.metadata.annotations),
    existing: bdb && {
      uid: bdb.uid,
      // one that cannot be made may be changed so that it can
      isSettled: bdb.status === "active" || bdb.status === "creation-failed",
      underWay: underWay(bdb),
      mayGrow: bdb.status === "active-change-pending",
      ...settingsOfWire(bdb),
      site: bdb.active_active,
      port: bdb.port,
      shards: bdb.shards_count_asked ?? bdb.shards_count,
      slots: bdb.shard_slots_asked ?? bdb.shard_slots,
      namesSlots: bdb.shard_slots_asked !== undefined,
      storeVersion: bdb.redis_version,
      upgradesTo: bdb.upgrades_to,
      modules:
        bdb.version === ""
          ? undefined
          : bdb.module_list.map(({ module_name: name, module_args: args }) => ({ name, args })),
    },
  });
}
