import { randomUUID } from "node:crypto";
import { Fault } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { Members } from "../members/members.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { isDraining, maintenanceOf, withMaintenance, withReturn } from "../../../core/records/maintenance.ts";

/** What the maintenance of this node works on. */
export interface OwnMaintenanceContext {
  readonly config: Pick<AgentConfig, "node" | "graceMs">;
  readonly records: Pick<Records, "state" | "changeState">;
  readonly members: Pick<Members, "list">;
  readonly clock: Clock;
  readonly log: Log;
}

const POLL_MS = 50;

/** A node in maintenance that handed leadership over leads again only when no other node can. */
export function isEligibleLeader(context: Pick<OwnMaintenanceContext, "config" | "records" | "members">): boolean {
  const entry = maintenanceOf(context.records.state(), context.config.node);
  const stays = entry === undefined || entry.state === "returning" || !entry.demote;
  return stays || !hasSuccessor(context);
}

/**
 * Before the agent ends: requests the evacuation of this node, as `maintenance_on` does, and waits until it is done, the
 * grace is over, or no other node can take over. For a node in maintenance there is nothing to wait for.
 */
export async function evacuateForShutdown(context: OwnMaintenanceContext): Promise<void> {
  const { config, clock, log, records } = context;
  const deadline = clock.uptimeMs() + config.graceMs;
  const request = {
    node: config.node,
    cause: "shutdown",
    demote: true,
    now: clock.now().toISOString(),
    newUid: randomUUID(),
  } as const;
  try {
    await records.changeState((state) => withMaintenance(state, request));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    log.warn("the evacuation of this node cannot be requested", { error });
    return;
  }
  const isEvacuated = (): boolean => maintenanceOf(records.state(), config.node)?.state === "on";
  while (!isEvacuated() && hasSuccessor(context) && clock.uptimeMs() < deadline) await clock.sleep(POLL_MS);
  log.info("the node is stopping", { evacuated: isEvacuated() });
}

/** After a restart: a node that was evacuated only for the restart returns to service; one in maintenance stays there. */
export async function returnAfterRestart(context: OwnMaintenanceContext): Promise<void> {
  const { config, clock, records } = context;
  if (maintenanceOf(records.state(), config.node)?.cause !== "shutdown") return;
  const now = clock.now().toISOString();
  const uid = randomUUID();
  await records.changeState((state) =>
    maintenanceOf(state, config.node)?.cause === "shutdown" ? withReturn(state, config.node, now, uid) : state,
  );
}

function hasSuccessor({
  members,
  records,
  config,
}: Pick<OwnMaintenanceContext, "config" | "records" | "members">): boolean {
  return members.list().some(({ uid, fresh }) => uid !== config.node && fresh && !isDraining(records.state(), uid));
}
