import { randomUUID } from "node:crypto";
import type { DatabaseAction } from "../../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import type { ActionRecord, MaintenanceOn } from "../../../../ports/management/records.ts";
import { maintenanceOf, withMaintenance, withReturn } from "../../../../core/records/maintenance.ts";
import type { Records } from "../../records/records.ts";
import { actionRecord } from "./actions.ts";

/** What requests for maintenance work on. */
export interface MaintenanceContext {
  readonly records: Pick<Records, "changeState">;
  readonly clock: Clock;
}

/** Asks for a node to be evacuated; the answer is the action that does it. */
export async function maintenanceOn(
  { records, clock }: MaintenanceContext,
  node: number,
  body: MaintenanceOn,
): Promise<ActionRecord> {
  const now = clock.now().toISOString();
  const request = { node, cause: "request", demote: body.demote_node ?? false, now, newUid: randomUUID() } as const;
  const state = await records.changeState((old) => withMaintenance(old, request));
  return actionOf(maintenanceOf(state, node)?.action, node);
}

/** Asks for a node to be taken back into service; the answer is the action that does it. */
export async function maintenanceOff({ records, clock }: MaintenanceContext, node: number): Promise<ActionRecord> {
  const now = clock.now().toISOString();
  const uid = randomUUID();
  const state = await records.changeState((old) => withReturn(old, node, now, uid));
  return actionOf(maintenanceOf(state, node)?.action, node);
}

/** A node that is in service already has nothing to do: its action is over. */
function actionOf(action: DatabaseAction | undefined, node: number): ActionRecord {
  const done = { uid: `node-${node}-in-service`, name: "maintenance_off", status: "completed", progress: 100 } as const;
  return actionRecord({ ...(action ?? done), object: `node:${node}` });
}
