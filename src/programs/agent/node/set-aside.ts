import { SET_ASIDE_RETENTION_DAYS } from "../../../core/api/cluster-spec.ts";
import type { Clock } from "#kit/base/clock";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import type { NodeReport } from "../members/node-report.ts";
import type { Records } from "../records/records.ts";

const DAY_MS = 86_400_000;

/** What the removal of set aside data works on. */
export interface RetentionContext {
  readonly records: Pick<Records, "state">;
  readonly supervisor: Pick<InstanceSupervisor, "releaseSetAside" | "setAside">;
  readonly clock: Clock;
}

/** What is set aside on this node, as it reports it. */
export function setAsideView({ setAside }: Pick<InstanceSupervisor, "setAside">): NodeReport["setAside"] {
  return setAside().map(({ id, bdb, name, instance, since, bytes }) => ({
    id,
    bdb,
    name,
    instance,
    bytes,
    since: since.toISOString(),
  }));
}

/** Removes what was set aside for longer than the cluster keeps such data; nothing while that is not known. */
export async function endRetention({ records, supervisor, clock }: RetentionContext): Promise<void> {
  const state = records.state();
  if (state === undefined) return;
  const days = state.setAsideRetentionDays ?? SET_ASIDE_RETENTION_DAYS;
  const oldest = clock.now().getTime() - days * DAY_MS;
  const isOver = ({ since }: { readonly since: Date }): boolean => since.getTime() < oldest;
  if (supervisor.setAside().some(isOver)) await supervisor.releaseSetAside(isOver);
}
