import type { DatabaseRecord } from "../../../core/api/records.ts";
import { waitsForReplicas } from "../../../core/planner/database/sync-set.ts";
import type { Address, SyncReplicas } from "../../../ports/management/proxy-control.ts";
import { nodeAddress } from "./addresses.ts";
import type { AddressContext } from "./addresses.ts";
import type { Members } from "./members.ts";
import type { NodeCapability } from "./node-report.ts";

/** What replies of the primary of a shard wait for, by the record; undefined: they do not. */
export function syncReplicas(
  context: AddressContext & { readonly members: Pick<Members, "list"> },
  record: DatabaseRecord,
  id: number,
): SyncReplicas | undefined {
  const shard = record.shards.find((one) => one.id === id);
  if (shard === undefined || !waitsForReplicas(record, everyNodeWaits(context.members))) return undefined;
  const { epoch, inSync } = shard;
  const unknown = { withoutReplica: record.withoutInSync, epoch };
  if (inSync?.epoch !== epoch) return unknown;
  // one that the record has no more can succeed nothing
  const placesOf = (ids: readonly number[]) =>
    shard.instances
      .filter(({ id }) => ids.includes(id))
      .map(({ node, port }) => ({ host: nodeAddress(context, node), port }));
  // a set from before replies waited is known; that proxies wait for it is confirmed under its next version
  const [members, joining] = [placesOf(inSync.members), placesOf(inSync.joining ?? [])];
  if (!members.every(isReachable) || !joining.every(isReachable)) return unknown;
  return { ...unknown, set: { version: inSync.joining === undefined ? 0 : (inSync.version ?? 0), members, joining } };
}

/** Every node of the cluster can let replies wait; those of releases before 0.4.0 cannot. */
export function everyNodeWaits(members: Pick<Members, "list">): boolean {
  return members
    .list()
    .every(({ held, report }) => !held || report.capabilities.includes("sync-replies" satisfies NodeCapability));
}

function isReachable(place: { readonly host: string | undefined; readonly port: number }): place is Address {
  return place.host !== undefined;
}
