import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { inSyncMembers, membersOf, withMembers, withSample } from "../../../core/planner/database/in-sync.ts";
import type { PrimarySample } from "../../../core/planner/database/in-sync.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { ReplicationAnswer } from "../../../mechanisms/supervisor/instance-report.ts";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import { parseInfo, replicationView } from "../../../ports/resp/info.ts";
import { nodeAddress } from "../members/addresses.ts";
import type { AddressContext } from "../members/addresses.ts";
import type { Records } from "../records/records.ts";

/** What keeping the sets of replicas in sync works on. */
export interface InSyncContext extends AddressContext {
  readonly records: Pick<Records, "databases" | "changeDatabase">;
  readonly supervisor: Pick<InstanceSupervisor, "replicationOf">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Engines are asked twice a second; what they said is looked at soon after. */
const CHECK_MS = 250;

/**
 * Keeps in the records which replicas of the primaries of this node are in sync, until `signal` aborts: a replica that falls
 * behind or is lost leaves the set, so that it cannot succeed the primary; one that has caught up joins it.
 */
export async function keepInSync(context: InSyncContext, signal: AbortSignal): Promise<void> {
  const shards = new Map<string, ShardSync>();
  while (!signal.aborted) {
    const here = context.records.databases().flatMap((record) => shardsServed(record, context.config.node));
    const present = new Set(here.map(({ key }) => key));
    for (const key of shards.keys()) if (!present.has(key)) shards.delete(key);
    await Promise.all(
      here.map(({ key, record, shard }) => {
        const sync = shards.get(key) ?? new ShardSync(context);
        shards.set(key, sync);
        return sync.check(record, shard);
      }),
    );
    await context.clock.sleep(CHECK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

/** Shards with replicas whose primary is on the node; another epoch is another shard. */
function shardsServed(record: DatabaseRecord, node: number) {
  if (record.status === "delete-pending") return [];
  return record.shards
    .filter((shard) => shard.instances.length > 1 && primaryOf(shard).node === node)
    .map((shard) => ({ key: `${record.uid}/${shard.id}/${shard.epoch}`, record, shard }));
}

/** The set of one shard in one epoch. */
class ShardSync {
  readonly #context: InSyncContext;
  #samples: readonly PrimarySample[] = [];
  #failing = false;

  constructor(context: InSyncContext) {
    this.#context = context;
  }

  async check(record: DatabaseRecord, shard: ShardRecord): Promise<void> {
    const answer = this.#context.supervisor.replicationOf(record.uid, shard.primary);
    const isNew = answer !== undefined && answer.at > (this.#samples.at(-1)?.at ?? 0);
    const sample = isNew ? this.#sampleOf(shard, answer) : undefined;
    if (sample !== undefined) this.#samples = withSample(this.#samples, sample);
    const written = membersOf(shard);
    const members = inSyncMembers(this.#samples, written ?? [], replicasOf(shard));
    if (shard.switchover !== undefined || (written !== undefined && isSame(members, written))) return;
    await this.#write(record, shard, members);
  }

  /** Undefined while the engine does not serve as primary. */
  #sampleOf(shard: ShardRecord, { info, at }: ReplicationAnswer): PrimarySample | undefined {
    const view = replicationView(parseInfo(info));
    if (view?.role !== "primary") return undefined;
    const replicas = replicasOf(shard).flatMap(({ id, node, port }) => {
      const address = nodeAddress(this.#context, node);
      const seen = view.replicas.find((one) => one.host === address && one.port === port);
      return seen === undefined ? [] : [[id, { linked: seen.state === "online", offset: seen.offset }] as const];
    });
    return { at, offset: view.offset, replicas: new Map(replicas) };
  }

  async #write(record: DatabaseRecord, shard: ShardRecord, members: readonly number[]): Promise<void> {
    const { records, log } = this.#context;
    const { uid } = record;
    try {
      await records.changeDatabase(uid, (old) => withMembers(old, shard, members));
      log.info("replicas in sync", { bdb: uid, shard: shard.id, members });
      this.#failing = false;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (!this.#failing)
        log.warn("which replicas are in sync cannot be written and is tried again", { bdb: uid, error });
      this.#failing = true;
    }
  }
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}
