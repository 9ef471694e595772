import type { DatabaseModule } from "../../api/records.ts";
import { isFault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { EventRecorder } from "../../kube/events.ts";
import type { Kube } from "../../kube/kube.ts";
import type { ManagementClient } from "../../management/client.ts";
import { faults as managementFaults } from "../../management/faults.ts";
import type { ClusterObservation } from "../../observe/cluster.ts";
import type { DatabaseAct } from "../../planner/database/spec-checks.ts";
import type { Redb } from "./cluster.ts";
import { failureOf, type DatabaseFailure } from "./failure.ts";
import { keepPassword } from "./secret.ts";

export interface DatabaseActDeps {
  readonly kube: Kube;
  readonly log: Log;
  readonly events: EventRecorder;
}

/** Asks the cluster for what was decided; the failure when it did not do it. What nobody foresees is thrown. */
export async function attempt(
  deps: DatabaseActDeps,
  redb: Redb,
  { client, view }: ClusterObservation,
  act: DatabaseAct,
): Promise<DatabaseFailure | undefined> {
  if (client === undefined) {
    return { reason: "CallFailed", message: `the management API of ${view.name} cannot be reached yet` };
  }
  try {
    await perform(deps, redb, client, act);
    return undefined;
  } catch (error) {
    if (isFault(error, managementFaults.conflict)) {
      // another change of it runs, which the node that was asked did not know of yet
      deps.log.debug("the database is busy, trying again", { database: redb.metadata.name, error });
      return undefined;
    }
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return failure;
  }
}

async function perform(deps: DatabaseActDeps, redb: Redb, client: ManagementClient, act: DatabaseAct): Promise<void> {
  switch (act.kind) {
    case "create": {
      const password = await keepPassword(deps.kube, redb);
      const port = act.port === undefined ? {} : { port: act.port };
      const body = {
        name: redb.metadata.name,
        ...act.settings,
        ...port,
        redis_version: act.version,
        ...(act.modules.length === 0 ? {} : { module_list: act.modules.map(asked) }),
        authentication_redis_pass: password,
      };
      await client.call("createBdb", { body });
      deps.events.record(redb, "Normal", "DatabaseCreated", `the cluster makes a database of version ${act.version}`);
      return;
    }
    case "update":
      await client.call("updateBdb", { params: { uid: act.uid }, body: act.settings });
      return;
    case "upgrade":
      await client.call("upgradeBdb", { params: { uid: act.uid }, body: { store_version: act.to } });
      deps.events.record(redb, "Normal", "DatabaseUpgradeStarted", `from ${act.from} to ${act.to}`);
      return;
    case "none":
      return;
  }
}

function asked({ name, args }: DatabaseModule): { readonly module_name: string; readonly module_args: string } {
  return { module_name: name, module_args: args };
}
