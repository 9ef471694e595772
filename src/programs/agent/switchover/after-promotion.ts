import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { finish, instanceOf, isDone, isUnderWay, siblingsOf } from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { faults } from "../faults.ts";
import { placeOf, reasonOf, withEngine } from "./engines.ts";
import { attach } from "./former-primary.ts";
import { SWITCHOVER_MS } from "./ports.ts";
import type { ShardPorts, SwitchoverStep } from "./ports.ts";
import { failedNodes, releaseTo, slowest, sendToProxies } from "./proxies.ts";

/** A promotion that has happened. */
export interface Promoted {
  readonly move: SwitchoverMove;
  /** The record with the intent, as it was read last. */
  readonly record: DatabaseRecord;
  /** The new primary. */
  readonly target: EngineAddress;
  readonly ports: ShardPorts;
}

/** Clients that were sent to the new primary. */
export interface ReleasedClients {
  /** Nodes whose proxy has not confirmed it. */
  readonly unreleased: readonly number[];
  /** For how long clients were held at most, as the proxies say, in milliseconds. */
  readonly heldMs: number;
  /** By `performance.now`. */
  readonly releasedAt: number;
}

export interface CompletedSwitchover extends ReleasedClients {
  readonly record: DatabaseRecord;
  readonly unattached: readonly number[];
}

/** What follows a promotion at once: clients go to the new primary. A proxy that does not answer now does not delay it. */
export async function releaseClients({ move, record, target, ports }: Promoted): Promise<ReleasedClients> {
  await beforeStep(ports, "release");
  // the next content of the record is known: nothing else changes the record while it holds the intent
  const release = releaseTo(placeOf(target), move, finish(record, move), ports);
  const released = await sendToProxies(ports.proxies, release);
  return { unreleased: failedNodes(released), heldMs: slowest(released), releasedAt: performance.now() };
}

/**
 * The rest, forward only: the other instances and the record. Neither waits for the other: what clients write until the record says who serves is lost when the new
 * primary ends, and replies of `durability: sync` wait for the first replica. AGENT_RECORD_MOVED when another leader has taken the switchover back: then the
 * target becomes a replica.
 */
export async function completeSwitchover(promoted: Promoted, released: ReleasedClients): Promise<CompletedSwitchover> {
  const { move, target, ports } = promoted;
  const bdb = promoted.record.uid;
  const place = placeOf(target);
  await beforeStep(ports, "demote");
  const latest = await latestRecord(promoted);
  if (!isUnderWay(latest, move) && !isDone(latest, move)) return demoteTarget(move, latest, target, ports);
  const attaching = attachAll(othersOf(latest, move), place, ports);
  await beforeStep(ports, "commit");
  const [unattached, record] = await Promise.all([attaching, ports.change((stored) => finish(stored, move))]);
  if (!isDone(record, move)) return demoteTarget(move, record, target, ports);
  ports.log.info("primary changed", { bdb, ...move, unreleased: released.unreleased, unattached });
  return { ...released, record, unattached };
}

/** Attaches each instance to the primary at `place`; the answer names those that could not be. */
export async function attachAll(
  instances: readonly InstanceRecord[],
  place: EnginePlace,
  ports: Pick<ShardPorts, "addressOf" | "log">,
): Promise<readonly number[]> {
  const failed = await Promise.all(
    instances.map(async (instance) => {
      try {
        const address = ports.addressOf(instance);
        if (address === undefined) return instance.id;
        await withEngine(address, (engine) => attach(engine, place));
        return undefined;
      } catch (error) {
        ports.log.warn("instance cannot be attached now", { instance: instance.id, reason: reasonOf(error) });
        return instance.id;
      }
    }),
  );
  return failed.filter((id) => id !== undefined);
}

/** Without an answer of the Kubernetes API in time, the record that was read before counts: the old primary is demoted before its fence ends. */
async function latestRecord({ record, ports }: Promoted): Promise<DatabaseRecord> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Fault(faults.recordLate, `no answer within ${SWITCHOVER_MS.record} ms`, { bdb: record.uid }));
  }, SWITCHOVER_MS.record);
  try {
    return await Promise.race([ports.change((stored) => stored), late.promise]);
  } catch (error) {
    ports.log.warn("the record cannot be read after a promotion", { bdb: record.uid, reason: reasonOf(error) });
    return record;
  } finally {
    clearTimeout(timer);
  }
}

/** A promotion that lost against another leader: the target follows the primary that the record names. Always AGENT_RECORD_MOVED. */
export async function demoteTarget(
  move: SwitchoverMove,
  latest: DatabaseRecord,
  target: EngineAddress,
  ports: ShardPorts,
): Promise<never> {
  const serving = primaryAddress(latest, move, ports);
  if (serving !== undefined && (serving.host !== target.host || serving.port !== target.port))
    await withEngine(target, (engine) => attach(engine, placeOf(serving)));
  throw new Fault(
    faults.recordMoved,
    `another leader has decided otherwise about instance ${move.to} of database ${latest.uid}`,
    { bdb: latest.uid, ...move },
  );
}

function primaryAddress(record: DatabaseRecord, move: SwitchoverMove, ports: ShardPorts): EngineAddress | undefined {
  const shard = record.shards.find(({ id }) => id === move.shard);
  const primary = shard?.instances.find(({ id }) => id === shard.primary);
  return primary === undefined ? undefined : ports.addressOf(primary);
}

function othersOf(record: DatabaseRecord, move: SwitchoverMove): readonly InstanceRecord[] {
  const old = instanceOf(record, move, move.from);
  return [...(old === undefined ? [] : [old]), ...siblingsOf(record, move)];
}

/** After the promotion a failed callback stops nothing. */
async function beforeStep(ports: ShardPorts, step: SwitchoverStep): Promise<void> {
  try {
    await ports.before?.(step);
  } catch (error) {
    ports.log.warn("the callback of a step failed", { step, reason: reasonOf(error) });
  }
}
