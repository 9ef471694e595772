import { Fault } from "#kit/base/fault";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { replacedShards } from "../../../core/planner/database/replaced-shards.ts";
import { upstreamOf } from "../../../core/planner/database/upstream.ts";
import { copyAfterReturn, takeTableBack } from "../../../core/records/reshape-record.ts";
import { withLossReport } from "../../../core/records/switchover-record.ts";
import { faults } from "../faults.ts";
import { closeNamed, reasonOf, roleOf, withEngine, type EngineControl } from "./engines.ts";
import { attach, isFenced, restorePrimary } from "./former-primary.ts";
import { sendToProxies } from "./proxies.ts";
import { TABLE_SWITCH } from "./table-engines.ts";
import { releaseTable } from "./table-release.ts";
import { lookAtTargets, type IsDead } from "./table-sight.ts";
import type { TablePorts } from "./table-ports.ts";

/** A record in which a switch to the next table has begun. */
export interface TableInDoubt {
  readonly record: DatabaseRecord;
  readonly isDead: IsDead;
  /** No proxy was released to the shards to be: only the leader that holds the clients knows that. */
  readonly isUnreleased?: boolean;
  /** What clients may lose by it, as a sentence; undefined: nothing. */
  readonly loss?: string | undefined;
}

/**
 * Lets the former shards serve again: nothing that clients wrote is at the shards to be alone. The record first: from then on no leader lets these serve. Then the former
 * primaries, the proxies, and at last the copy, which begins anew where shards to be may have been promoted. Idempotent. AGENT_MOVE_NOT_DONE while a former
 * primary does not answer that may be alive. Resolves with what is stored then.
 */
export async function takeBackTable(
  { record, isDead, isUnreleased = false, loss }: TableInDoubt,
  ports: TablePorts,
): Promise<DatabaseRecord> {
  const { uid: bdb, reshape } = record;
  if (reshape === undefined) return record;
  const begun = reshape.phase === "return" ? reshape.tableEpoch - 1 : reshape.tableEpoch;
  const stored = await ports.change((current) => {
    const back = takeTableBack(current, begun);
    // each of them may have lost something
    const reported = back === current ? [] : replacedShards(back);
    return reported.reduce((next, { id: shard }) => withLossReport(next, { shard }, loss), back);
  });
  if (stored.reshape?.phase !== "return" || stored.reshape.tableEpoch !== begun + 1) return stored;
  const { failed, hadRetired } = await restoreSources(stored, isDead, ports);
  await sendToProxies(ports.proxies, { op: "abort-table", bdb, tableEpoch: begun });
  if (failed.length > 0)
    throw new Fault(faults.moveNotDone, `the former shards do not all serve again: ${failed.join("; ")}`, { bdb });
  ports.log.warn("a switch to other shards was taken back", { bdb, tableEpoch: begun });
  // the mover has lost a primary that had retired, and a target that was promoted has left the mover
  const isAnew = hadRetired || (await lookAtTargets(stored, isDead, ports)).some((sight) => sight !== "filled");
  const again = { isAnew, mayBeReleased: !isUnreleased, now: ports.now().toISOString() };
  const copying = await ports.change((current) => copyAfterReturn(current, begun + 1, again));
  // also a proxy that was released goes back: this epoch of the table is above the one that it has
  if (!isUnreleased) await releaseTable(copying, ports);
  if (isAnew) await attachTargets(copying, ports);
  return copying;
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

interface RestoredSources {
  /** Why primaries that may be alive do not serve again. */
  readonly failed: readonly string[];
  readonly hadRetired: boolean;
}

/** Those of shards that are kept have served all the time. */
async function restoreSources(
  record: DatabaseRecord,
  isDead: IsDead,
  { addressOf }: TablePorts,
): Promise<RestoredSources> {
  let hadRetired = false;
  const failed = replacedShards(record).map(async (shard) => {
    const primary = primaryOf(shard);
    const address = addressOf(primary);
    if (isDead(primary.id)) return [];
    if (address === undefined) return [`the node of shard ${shard.id} has no address`];
    try {
      hadRetired = (await withEngine(address, restoreSource)) || hadRetired;
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [`shard ${shard.id}: ${reasonOf(error)}`];
    }
  });
  return { failed: (await Promise.all(failed)).flat(), hadRetired };
}

/** It is a primary again; true if the switch had made it refuse writes without an end. */
async function restoreSource(engine: EngineControl): Promise<boolean> {
  await closeNamed(engine, TABLE_SWITCH);
  const hadRetired = isFenced(await roleOf(engine));
  await restorePrimary(engine);
  return hadRetired;
}
