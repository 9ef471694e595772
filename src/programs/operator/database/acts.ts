import { AWAITS_DATA_ANNOTATION } from "../../../core/api/names.ts";
import type { DatabaseModule, SiteOfDatabase } from "../../../core/api/records.ts";
import { isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import type { BdbCreate, BdbRecord } from "../../../ports/management/records.ts";
import type { ClusterConnection } from "../../../mechanisms/observe/management/connections.ts";
import type { DatabaseAct } from "../../../core/planner/database/plan.ts";
import type { Redb } from "./cluster.ts";
import { certificateToGive, type CertificateDeps } from "./certificate.ts";
import { callFailed, failureOf, noCertificate, noPassword, type DatabaseFailure } from "./failure.ts";
import { heldPassword, keepPassword, type PasswordFrom } from "./secret.ts";
import { secretNameOf } from "./secret-verdict.ts";

export interface DatabaseActDeps extends CertificateDeps {
  readonly kube: Kube;
  /** Name of the cluster of the database. */
  readonly cluster: string;
  readonly log: Log;
  readonly events: EventRecorder;
  /** The cluster was asked before to make the database, and it is not known whether it has. */
  readonly mayBeMade: boolean;
  /** Writes down that the cluster is about to be asked to make it: what goes wrong before has made nothing. */
  readonly noteCreation: () => Promise<void>;
}

/** What came of an act: the database as the cluster has it then, or why it was not done. */
export interface ActOutcome {
  readonly bdb?: BdbRecord | undefined;
  /** The Secret whose password the cluster was given. */
  readonly passwordFrom?: PasswordFrom | undefined;
  readonly failure?: DatabaseFailure;
}

/** Asks the cluster for what was decided. An unforeseen failure is thrown. */
export async function attempt(
  deps: DatabaseActDeps,
  redb: Redb,
  connection: ClusterConnection | undefined,
  act: DatabaseAct,
): Promise<ActOutcome> {
  if (connection === undefined) {
    return { failure: callFailed("the management API of the cluster cannot be reached yet") };
  }
  try {
    const performed = await perform(deps, redb, connection.client, act);
    if (performed.bdb !== undefined) connection.recordWrite(performed.bdb);
    return performed;
  } catch (error) {
    if (isFault(error, managementFaults.conflict) && passes(deps, act, error.details["error_code"])) {
      deps.log.debug("the database is busy, trying again", { database: redb.metadata.name, error });
      return {};
    }
    const failure = failureOf(error, `redb ${redb.metadata.name}`);
    if (failure === undefined) throw error;
    return { failure };
  }
}

/** Another change runs, which the node that was asked did not know of yet; or an earlier request has made the database. */
function passes({ mayBeMade }: DatabaseActDeps, act: DatabaseAct, code: unknown): boolean {
  return code === "busy" || (code === "name_exists" && act.kind === "create" && mayBeMade);
}

async function perform(
  deps: DatabaseActDeps,
  redb: Redb,
  client: ManagementClient,
  act: DatabaseAct,
): Promise<ActOutcome> {
  switch (act.kind) {
    case "create":
      return create(deps, redb, client, act);
    case "update": {
      const held = act.password ? await heldPassword(deps, redb) : undefined;
      if (act.password && held === undefined && Object.keys(act.settings).length === 0) {
        return { failure: noPassword(secretNameOf(redb), redb) };
      }
      const certificate = await certificateBody(deps, redb, act.certificate);
      if ("failure" in certificate) return certificate;
      const password = held === undefined ? {} : { authentication_redis_pass: held.password };
      const body = { ...act.settings, ...shardsBody(act), ...password, ...certificate, ...siteBody(act.site) };
      const bdb = await client.call("updateBdb", { params: { uid: act.uid }, body });
      return { bdb, passwordFrom: held?.from };
    }
    case "upgrade": {
      const bdb = await client.call("upgradeBdb", {
        params: { uid: act.uid },
        body: { store_version: act.storeVersion },
      });
      deps.events.record(redb, "Normal", "DatabaseUpgradeStarted", `from ${act.from} to ${act.storeVersion}`);
      return { bdb };
    }
  }
}

async function create(
  deps: DatabaseActDeps,
  redb: Redb,
  client: ManagementClient,
  act: Extract<DatabaseAct, { readonly kind: "create" }>,
): Promise<ActOutcome> {
  const certificate = await certificateBody(deps, redb, act.certificate);
  if ("failure" in certificate) return certificate;
  const { password, from } = await keepPassword(deps, redb);
  const port = act.port === undefined ? {} : { port: act.port };
  const body = {
    name: redb.metadata.name,
    ...act.settings,
    ...port,
    ...shardsBody(act),
    redis_version: act.version,
    ...(act.modules.length === 0 ? {} : { module_list: act.modules.map(moduleRequest) }),
    authentication_redis_pass: password,
    ...certificate,
    ...siteBody(act.site),
    ...(redb.metadata.annotations?.[AWAITS_DATA_ANNOTATION] === undefined ? {} : { awaits_data: true }),
  };
  await deps.noteCreation();
  const bdb = await client.call("createBdb", { body });
  deps.events.record(redb, "Normal", "DatabaseCreated", `the cluster makes a database of version ${act.version}`);
  return { bdb, passwordFrom: from };
}

/** What the body says of the certificate; it is made only when it is sent. */
async function certificateBody(
  deps: DatabaseActDeps,
  redb: Redb,
  isDue: true | undefined,
): Promise<Pick<BdbCreate, "tls_certificate"> | { readonly failure: DatabaseFailure }> {
  if (isDue === undefined) return {};
  const tls_certificate = await certificateToGive(deps, redb, deps.cluster);
  if (typeof tls_certificate !== "string") return { tls_certificate };
  return { failure: noCertificate(tls_certificate, redb.metadata.name) };
}

function shardsBody({
  shards,
  slots,
}: Pick<Extract<DatabaseAct, { readonly kind: "create" }>, "shards" | "slots">): Pick<
  BdbCreate,
  "shards_count" | "shard_slots"
> {
  const count = shards === undefined ? {} : { shards_count: shards };
  return slots === undefined ? count : { ...count, shard_slots: slots };
}

function siteBody(site: SiteOfDatabase | undefined): Pick<BdbCreate, "active_active"> {
  return site === undefined ? {} : { active_active: site };
}

function moduleRequest({ name, args }: DatabaseModule): { readonly module_name: string; readonly module_args: string } {
  return { module_name: name, module_args: args };
}
