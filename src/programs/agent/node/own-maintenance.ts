import { randomUUID } from "node:crypto";
import { Fault } from "../../../core/base/fault.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { isDraining, maintenanceOf, withMaintenance, withReturn } from "../records/maintenance.ts";

const LOOK_MS = 50;

/** A node that leadership was taken off leads again only when no other can. */
export function mayLead(view: ClusterView): boolean {
  const entry = maintenanceOf(view.records.state(), view.config.node);
  const stays = entry === undefined || entry.state === "returning" || !entry.demote;
  return stays || !hasSuccessor(view);
}

/**
 * Before the agent ends: asks for the node to be left as `maintenance_on` does, and waits until it is, the grace is over, or
 * nobody is there to take over. A node in maintenance already has nothing to wait for.
 */
export async function leaveForShutdown(view: ClusterView): Promise<void> {
  const { config, clock, log, records } = view;
  const deadline = clock.now().getTime() + config.graceMs;
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
    log.warn("the node cannot be left in good order", { error });
    return;
  }
  const isLeft = (): boolean => maintenanceOf(records.state(), config.node)?.state === "on";
  while (!isLeft() && hasSuccessor(view) && clock.now().getTime() < deadline) await clock.sleep(LOOK_MS);
  log.info("the node is being stopped", { left: isLeft() });
}

/** After a restart: a node that had only been left for the restart is taken back; one in maintenance stays there. */
export async function comeBack(view: ClusterView): Promise<void> {
  const { config, clock, records } = view;
  if (maintenanceOf(records.state(), config.node)?.cause !== "shutdown") return;
  const now = clock.now().toISOString();
  const uid = randomUUID();
  await records.changeState((state) =>
    maintenanceOf(state, config.node)?.cause === "shutdown" ? withReturn(state, config.node, now, uid) : state,
  );
}

function hasSuccessor({ members, records, config }: ClusterView): boolean {
  return members.list().some(({ uid, fresh }) => uid !== config.node && fresh && !isDraining(records.state(), uid));
}
