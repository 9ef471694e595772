import { Fault } from "#kit/base/fault";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { replacedShards } from "../../../core/planner/database/replaced-shards.ts";
import { upstreamOf } from "../../../core/planner/database/upstream.ts";
import { copyFromStart, takeTableBack } from "../../../core/records/reshape-record.ts";
import { faults } from "../faults.ts";
import { closeNamed, reasonOf, withEngine, type EngineControl } from "./engines.ts";
import { attach, restorePrimary } from "./former-primary.ts";
import { sendToProxies } from "./proxies.ts";
import { TABLE_SWITCH } from "./table-engines.ts";
import type { TablePorts } from "./table-ports.ts";

/** A record in which a switch to the next table has begun. */
export interface BackRequest {
  readonly record: DatabaseRecord;
  /** The process of an instance has ended, or the lease of its node has expired. */
  readonly isDead: (instance: number) => boolean;
}

/**
 * Lets the former shards serve again, whatever a switch has done until the next table was in the record: no client has seen the shards to be. The record
 * first: from then on the leader that began is fenced. Then the former primaries, the proxies, and at last the copy, which begins anew where shards to be
 * may have been promoted. Idempotent. AGENT_MOVE_NOT_DONE while a former primary does not answer that may be alive. Resolves with what is stored then.
 */
export async function takeBackTable({ record, isDead }: BackRequest, ports: TablePorts): Promise<DatabaseRecord> {
  const { uid: bdb, reshape } = record;
  if (reshape === undefined) return record;
  const { tableEpoch } = reshape;
  const stored = await ports.change((current) => takeTableBack(current, tableEpoch));
  if (stored.reshape?.tableEpoch !== tableEpoch + 1) return stored;
  const failed = await restoreSources(stored, isDead, ports);
  await sendToProxies(ports.proxies, { op: "abort-table", bdb, tableEpoch });
  if (failed.length > 0)
    throw new Fault(faults.moveNotDone, `the former shards do not all serve again: ${failed.join("; ")}`, { bdb });
  ports.log.warn("a switch to other shards was taken back", { bdb, tableEpoch });
  if (stored.reshape.phase !== "promote") return stored;
  const now = ports.now().toISOString();
  const again = await ports.change((current) => copyFromStart(current, tableEpoch + 1, now));
  await attachTargets(again, ports);
  return again;
}

/** The primaries to be follow the mover again; one that does not answer follows it later. */
async function attachTargets(record: DatabaseRecord, ports: TablePorts): Promise<void> {
  const attached = (record.reshape?.shards ?? []).map(async (shard) => {
    const primary = primaryOf(shard);
    const [upstream, address] = [upstreamOf(record, shard, primary), ports.addressOf(primary)];
    const place = upstream === undefined ? undefined : ports.placeOf(upstream);
    if (place === undefined || address === undefined) return;
    await withEngine(address, async (engine) => {
      await closeNamed(engine, TABLE_SWITCH);
      await attach(engine, place);
    });
  });
  for (const result of await Promise.allSettled(attached))
    if (result.status === "rejected")
      ports.log.warn("an engine cannot be attached now", { reason: reasonOf(result.reason) });
}

/** Why primaries that may be alive do not serve again; those of shards that are kept have served all the time. */
async function restoreSources(
  record: DatabaseRecord,
  isDead: BackRequest["isDead"],
  { addressOf }: TablePorts,
): Promise<readonly string[]> {
  const failed = replacedShards(record).map(async (shard) => {
    const primary = primaryOf(shard);
    const address = addressOf(primary);
    if (isDead(primary.id)) return [];
    if (address === undefined) return [`the node of shard ${shard.id} has no address`];
    try {
      await withEngine(address, restoreSource);
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [`shard ${shard.id}: ${reasonOf(error)}`];
    }
  });
  return (await Promise.all(failed)).flat();
}

/** It is a primary again if the switch has demoted it. */
async function restoreSource(engine: EngineControl): Promise<void> {
  await closeNamed(engine, TABLE_SWITCH);
  await restorePrimary(engine);
}
