import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { inSyncMembers, withMembers, withSample } from "../../../core/planner/database/in-sync.ts";
import { nextSyncSet, waitsForReplicas, withSyncSet } from "../../../core/planner/database/sync-set.ts";
import type { PrimarySample } from "../../../core/planner/database/in-sync.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { ReplicationAnswer } from "../../../mechanisms/supervisor/instance-report.ts";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import { parseInfo, replicationView } from "../../../ports/resp/info.ts";
import { nodeAddress } from "../members/addresses.ts";
import type { AddressContext } from "../members/addresses.ts";
import { everyNodeWaits } from "../members/sync-replicas.ts";
import type { Members } from "../members/members.ts";
import type { Records } from "../records/records.ts";

/** What keeping the sets of replicas in sync works on. */
export interface InSyncContext extends AddressContext {
  readonly records: Pick<Records, "databases" | "changeDatabase">;
  readonly members: Pick<Members, "get" | "list">;
  readonly supervisor: Pick<InstanceSupervisor, "replicationOf">;
  /** Asks every proxy that may acknowledge something; the nodes that have not confirmed. */
  readonly confirm: (command: ProxyCommand) => Promise<readonly number[]>;
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
  /** The version of the set that proxies are asked about: whether they wait for its replicas. */
  #asked = 0;
  #confirmed: { readonly version: number; readonly at: number } | undefined;

  constructor(context: InSyncContext) {
    this.#context = context;
  }

  async check(record: DatabaseRecord, shard: ShardRecord): Promise<void> {
    const answer = this.#context.supervisor.replicationOf(record.uid, shard.primary);
    const isNew = answer !== undefined && answer.at > (this.#samples.at(-1)?.at ?? 0);
    const sample = isNew ? this.#sampleOf(shard, answer) : undefined;
    if (sample !== undefined) this.#samples = withSample(this.#samples, sample);
    if (shard.switchover !== undefined) return;
    if (waitsForReplicas(record, everyNodeWaits(this.#context.members))) await this.#checkSync(record, shard);
    else await this.#checkAsync(record, shard);
  }

  async #checkAsync(record: DatabaseRecord, shard: ShardRecord): Promise<void> {
    // the members as the record has them: one that is gone has to leave the record
    const written = shard.inSync?.epoch === shard.epoch ? shard.inSync.members : undefined;
    const members = inSyncMembers(this.#samples, written ?? [], replicasOf(shard));
    const isKept = shard.inSync?.joining === undefined;
    if (written !== undefined && isSame(members, written) && isKept) return;
    await this.#write(record, { shard: shard.id, members }, (old) => withMembers(old, shard, members));
  }

  async #checkSync(record: DatabaseRecord, shard: ShardRecord): Promise<void> {
    const written = shard.inSync?.epoch === shard.epoch ? shard.inSync : undefined;
    const version = written?.version ?? 0;
    const confirmedAt = this.#confirmed?.version === version ? this.#confirmed.at : undefined;
    const next = nextSyncSet({ written, samples: this.#samples, replicas: replicasOf(shard), confirmedAt });
    const { joining } = written ?? {};
    if (joining !== undefined && isSame(next.members, written?.members ?? []) && isSame(next.joining, joining)) {
      if (joining.length > 0 && confirmedAt === undefined) void this.#askProxies(record, shard, version);
      return;
    }
    await this.#write(record, { shard: shard.id, ...next }, (old) => withSyncSet(old, shard, next));
  }

  /** Asks the proxies beside the looks: one that does not answer must not delay that a replica leaves the set. */
  async #askProxies(record: DatabaseRecord, { id, epoch }: ShardRecord, version: number): Promise<void> {
    if (this.#asked === version) return;
    this.#asked = version;
    const { clock, log, confirm } = this.#context;
    try {
      const missing = await confirm({ op: "confirm", ...nameShard(record, id), epoch, version, withinMs: CONFIRM_MS });
      if (missing.length === 0) this.#confirmed = { version, at: clock.uptimeMs() };
      else log.info("proxies do not wait for a replica yet", { bdb: record.uid, version, nodes: missing });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log.warn("proxies cannot be asked whether they wait for a replica", { bdb: record.uid, error });
    } finally {
      if (this.#asked === version) this.#asked = 0;
    }
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

  async #write(
    { uid }: DatabaseRecord,
    what: Readonly<Record<string, unknown>>,
    change: (old: DatabaseRecord) => DatabaseRecord,
  ): Promise<void> {
    const { records, log } = this.#context;
    try {
      await records.changeDatabase(uid, change);
      log.info("replicas in sync", { bdb: uid, ...what });
      this.#failing = false;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (!this.#failing)
        log.warn("which replicas are in sync cannot be written and is tried again", { bdb: uid, error });
      this.#failing = true;
    }
  }
}

/** How long a proxy may take to read the record, in milliseconds. */
const CONFIRM_MS = 500;

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}
