import { everyShard } from "../../../core/api/every-shard.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import {
  type MoveAttempts,
  nextAttempt,
  NO_ATTEMPTS,
  recordAttempt,
  recordHold,
} from "../../../core/planner/database/hold-budget.ts";
import { type InstanceFacts, primaryOf } from "../../../core/planner/database/facts.ts";
import { proofOfEnd } from "../../../core/planner/database/failover.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { faults } from "../faults.ts";
import { upstreamOf } from "../../../core/planner/database/upstream.ts";
import { type DatabaseFactsContext, gatherFacts } from "../observation/database-facts.ts";
import { attachAll } from "../switchover/after-promotion.ts";
import { killScript, withEngine } from "../switchover/engines.ts";
import { failOver } from "../switchover/failover.ts";
import { ObstructedMove } from "../switchover/obstructed-move.ts";
import type { ProxyPort, SwitchoverResult } from "../switchover/ports.ts";
import { resolveIntent } from "../switchover/resolve.ts";
import { switchOver } from "../switchover/switchover.ts";
import { resolveTable } from "../switchover/table-resolve.ts";
import type { TableResult } from "../switchover/table-ports.ts";
import { switchTable } from "../switchover/table-switch.ts";
import { verifyReplica, type VerifyResult } from "../switchover/verify.ts";
import { LeaderPorts, type LeaderPortsContext } from "./leader-ports.ts";
import type { LastSeenPrimary, ShardOperations } from "./shard-operations.ts";

/** What the operations of a leader work on. */
export type OperationsContext = DatabaseFactsContext & LeaderPortsContext;

/** The operations of a leader, over the engines, proxies and records of its cluster. */
export class LeaderOperations implements ShardOperations {
  readonly #context: OperationsContext;
  readonly #ports: LeaderPorts;
  /** By database. */
  readonly #attempts = new Map<number, MoveAttempts>();

  constructor(context: OperationsContext, proxies: () => readonly ProxyPort[]) {
    this.#context = context;
    this.#ports = new LeaderPorts(context, proxies);
  }

  async switchOver(record: DatabaseRecord, shard: number, to: number): Promise<void> {
    const { clock, log } = this.#context;
    const before = recordAttempt(this.#attempts.get(record.uid) ?? NO_ATTEMPTS, shard, clock.uptimeMs());
    this.#attempts.set(record.uid, before);
    const { waitMs, insists, drainMs } = nextAttempt(before, shard, clock.uptimeMs());
    if (waitMs > 0) throw notDone(record, waitText(waitMs));
    const result = await switchOver({ record, shard, to, insists, drainMs }, await this.#ports.forShard(record));
    const end = { heldMs: heldBy(result), moved: result.kind === "done" };
    // meanwhile another shard may have been moved
    const latest = this.#attempts.get(record.uid) ?? before;
    this.#attempts.set(record.uid, recordHold(latest, shard, end, clock.uptimeMs()));
    requireNoObstacle(record, result);
    if (result.kind !== "done") throw notDone(record, `${result.kind}: ${result.reason}`);
    log.info("switched over", { bdb: record.uid, shard, to, ...result.timings });
  }

  async resumeSwitchover(record: DatabaseRecord, shard: number): Promise<void> {
    const target = shardOf(record, shard).switchover?.to ?? -1;
    const targetDead = (await this.#observe(record, target))?.state === "dead";
    const result = await resolveIntent({ record, shard, targetDead }, await this.#ports.forShard(record));
    if (result.kind === "waiting") throw notDone(record, result.reason);
  }

  async failOver(
    record: DatabaseRecord,
    shard: number,
    to: number,
    lastSeen: LastSeenPrimary | undefined,
  ): Promise<void> {
    const { clock } = this.#context;
    const old = primaryOf(shardOf(record, shard)).id;
    let observed: InstanceFacts | undefined;
    const proof = async () => proofOfEnd((observed = await this.#observe(record, old)));
    const dataIsGone = (): boolean => observed?.lostData === true;
    const seen =
      lastSeen === undefined ? {} : { lastSeen: { offset: lastSeen.offset, agoMs: clock.uptimeMs() - lastSeen.at } };
    await failOver(
      { record, shard, to, proof, dataIsGone, ...seen },
      { ...(await this.#ports.forShard(record)), clock },
    );
  }

  async switchTable(record: DatabaseRecord): Promise<void> {
    const { clock } = this.#context;
    const before = recordAttempt(this.#attempts.get(record.uid) ?? NO_ATTEMPTS, ALL_SHARDS, clock.uptimeMs());
    this.#attempts.set(record.uid, before);
    const { waitMs, ...patience } = nextAttempt(before, ALL_SHARDS, clock.uptimeMs());
    if (waitMs > 0) throw notDone(record, waitText(waitMs));
    const result = await switchTable({ record, ...patience }, await this.#ports.forTable(record));
    const end = { heldMs: result.kind === "refused" ? 0 : result.heldMs, moved: result.kind === "done" };
    this.#attempts.set(record.uid, recordHold(before, ALL_SHARDS, end, clock.uptimeMs()));
    requireNoObstacle(record, result);
    if (result.kind !== "done") throw notDone(record, `${result.kind}: ${result.reason}`);
  }

  async resumeTable(record: DatabaseRecord): Promise<void> {
    const { instances } = await gatherFacts(this.#context, record, new Set());
    const isDead = (instance: number): boolean => instances.get(instance)?.state === "dead";
    await resolveTable({ record, isDead }, await this.#ports.forTable(record));
  }

  async reattach(record: DatabaseRecord, shard: number, replica: number): Promise<void> {
    const ports = await this.#ports.forTable(record);
    const decidedOn = anyShardOf(record, shard);
    const detached = decidedOn.instances.find(({ id }) => id === replica);
    // a leader that was suspended has a successor, and would attach the new primary to the old one
    const stored = await ports.change((latest) => latest);
    const { epoch } = anyShardOf(stored, shard);
    if (epoch !== decidedOn.epoch || stored.reshape?.tableEpoch !== record.reshape?.tableEpoch)
      throw notDone(record, "another leader has changed the primary");
    const upstream = detached === undefined ? undefined : upstreamOf(stored, decidedOn, detached);
    if (detached === undefined || upstream === undefined) throw notDone(record, `${replica} is no replica`);
    const place = ports.placeOf(upstream);
    if (place === undefined) throw notDone(record, `node ${upstream.node} has no address`);
    const failed = await attachAll([detached], place, ports);
    if (failed.length > 0) throw notDone(record, `replica ${replica} cannot be attached now`);
  }

  async endScript(record: DatabaseRecord, shard: number): Promise<void> {
    const { log } = this.#context;
    const { addressOf } = await this.#ports.forShard(record);
    const address = addressOf(primaryOf(shardOf(record, shard)));
    if (address === undefined) throw notDone(record, "the primary has no address");
    await withEngine(address, killScript);
    log.warn("a script was ended, because a move of the primary had waited for it", { bdb: record.uid, shard });
  }

  async verify(record: DatabaseRecord, shard: number, replica: number, signal: AbortSignal): Promise<void> {
    const { instances } = shardOf(record, shard);
    const ports = await this.#ports.forShard(record);
    const address = (instance: InstanceRecord | undefined): EngineAddress => {
      const found = instance === undefined ? undefined : ports.addressOf(instance);
      if (found === undefined) throw notDone(record, "an instance to compare has no address");
      return found;
    };
    const result = await verifyReplica({
      clock: this.#context.clock,
      signal,
      primary: address(primaryOf(shardOf(record, shard))),
      replica: address(instances.find(({ id }) => id === replica)),
    });
    this.#context.log.info("replica compared with its primary", { bdb: record.uid, replica, ...result });
    if (result.different > 0) throw notDone(record, describeDifference(record, replica, result));
  }

  forget(database: number): void {
    this.#attempts.delete(database);
  }

  async #observe(record: DatabaseRecord, instance: number): Promise<InstanceFacts | undefined> {
    return (await gatherFacts(this.#context, record, new Set())).instances.get(instance);
  }
}

/** A switch to other shards is no move of one of them; ids of shards begin at 1. */
const ALL_SHARDS = 0;

/** A user has to make the move possible first: the finding says how. */
function requireNoObstacle({ uid: bdb }: DatabaseRecord, result: SwitchoverResult | TableResult): void {
  if (result.kind === "refused" && result.obstacle !== undefined)
    throw new ObstructedMove(faults.moveObstructed, result.obstacle, { bdb });
}

function waitText(waitMs: number): string {
  return `clients had to wait a moment ago: the next attempt follows in ${Math.ceil(waitMs / 1000)} s`;
}

/** For how long clients had to wait, in milliseconds. */
function heldBy(result: SwitchoverResult): number {
  switch (result.kind) {
    case "done":
      return result.timings.heldMs;
    case "aborted":
    case "unresolved":
      return result.heldMs;
    case "refused":
      return 0;
  }
}

function shardOf(record: DatabaseRecord, id: number) {
  const shard = record.shards.find((one) => one.id === id);
  if (shard === undefined) throw new Fault(faults.recordMoved, `database ${record.uid} has no shard ${id}`);
  return shard;
}

/** One that serves, or one that is to. */
function anyShardOf(record: DatabaseRecord, id: number): ShardRecord {
  const shard = everyShard(record).find((one) => one.id === id);
  if (shard === undefined) throw new Fault(faults.recordMoved, `database ${record.uid} has no shard ${id}`);
  return shard;
}

function describeDifference(record: DatabaseRecord, replica: number, result: VerifyResult): string {
  const { different, keys, examples } = result;
  const named = examples.length === 0 ? "" : `, for instance ${examples.slice(0, 3).join(", ")}`;
  return `instance ${replica} of "${record.name}" differs from its primary in ${different} of ${keys} keys${named}`;
}

function notDone(record: DatabaseRecord, reason: string): Fault {
  return new Fault(faults.moveNotDone, reason, { bdb: record.uid });
}
