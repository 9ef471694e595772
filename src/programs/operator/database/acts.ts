import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { DatabaseModule } from "../../../core/api/records.ts";
import { isFault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { EventRecorder } from "../../../ports/kube/events.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import type { Connection } from "../../../mechanisms/observe/management/connections.ts";
import type { DatabaseAct } from "../../../core/planner/database/plan.ts";
import type { Redb } from "./cluster.ts";
import { callFailed, failureOf, noPassword, type DatabaseFailure } from "./failure.ts";
import { heldPassword, keepPassword, secretNameOf } from "./secret.ts";

export interface DatabaseActDeps {
  readonly kube: Kube;
  readonly log: Log;
  readonly events: EventRecorder;
}

/** What came of an act: the database as the cluster has it then, or why it was not done. */
export interface Attempt {
  readonly bdb?: BdbRecord | undefined;
  /** The Secret whose password the cluster was given. */
  readonly passwordFrom?: PasswordFrom | undefined;
  readonly failure?: DatabaseFailure;
}

type PasswordFrom = NonNullable<DatabaseStatus["passwordFrom"]>;

/** Asks the cluster for what was decided. An unforeseen failure is thrown. */
export async function attempt(
  deps: DatabaseActDeps,
  redb: Redb,
  connection: Connection | undefined,
  act: DatabaseAct,
): Promise<Attempt> {
  if (connection === undefined) {
    return { failure: callFailed("the management API of the cluster cannot be reached yet") };
  }
  try {
    const performed = await perform(deps, redb, connection.client, act);
    if (performed.bdb !== undefined) connection.recordWrite(performed.bdb);
    return performed;
  } catch (error) {
    if (isFault(error, managementFaults.conflict)) {
      // another change of it runs, which the node that was asked did not know of yet
      deps.log.debug("the database is busy, trying again", { database: redb.metadata.name, error });
      return {};
    }
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { failure };
  }
}

async function perform(
  deps: DatabaseActDeps,
  redb: Redb,
  client: ManagementClient,
  act: DatabaseAct,
): Promise<Attempt> {
  switch (act.kind) {
    case "create": {
      const { password, from } = await keepPassword(deps.kube, redb);
      const port = act.port === undefined ? {} : { port: act.port };
      const body = {
        name: redb.metadata.name,
        ...act.settings,
        ...port,
        redis_version: act.version,
        ...(act.modules.length === 0 ? {} : { module_list: act.modules.map(asked) }),
        authentication_redis_pass: password,
      };
      const bdb = await client.call("createBdb", { body });
      deps.events.record(redb, "Normal", "DatabaseCreated", `the cluster makes a database of version ${act.version}`);
      return { bdb, passwordFrom: from };
    }
    case "update": {
      const held = act.password ? await heldPassword(deps.kube, redb) : undefined;
      if (act.password && held === undefined && Object.keys(act.settings).length === 0) {
        return { failure: noPassword(secretNameOf(redb), redb.metadata.name) };
      }
      const password = held === undefined ? {} : { authentication_redis_pass: held.password };
      const bdb = await client.call("updateBdb", { params: { uid: act.uid }, body: { ...act.settings, ...password } });
      return { bdb, passwordFrom: held?.from };
    }
    case "upgrade": {
      const bdb = await client.call("upgradeBdb", { params: { uid: act.uid }, body: { store_version: act.to } });
      deps.events.record(redb, "Normal", "DatabaseUpgradeStarted", `from ${act.from} to ${act.to}`);
      return { bdb };
    }
    case "none":
      return {};
  }
}

function asked({ name, args }: DatabaseModule): { readonly module_name: string; readonly module_args: string } {
  return { module_name: name, module_args: args };
}
