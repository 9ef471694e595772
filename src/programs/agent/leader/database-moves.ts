import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import { Fault } from "../../../core/base/fault.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import type { InstanceFacts } from "../../../core/planner/database/facts.ts";
import { proofOfEnd } from "../../../core/planner/database/failover.ts";
import { addressOf, engineAddress } from "../records/cluster-view.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { failOver } from "../switchover/failover.ts";
import { faults } from "../faults.ts";
import { gatherFacts } from "./facts.ts";
import type { LastSeen, Moves } from "./moves.ts";
import { attachAll } from "../switchover/forward.ts";
import type { ProxyPort, ShardPorts } from "../switchover/ports.ts";
import { resolveIntent } from "../switchover/resolve.ts";
import { switchOver } from "../switchover/switchover.ts";
import { verifyReplica } from "../switchover/verify.ts";
import type { VerifyResult } from "../switchover/verify.ts";

/** The moves of a leader, over its view of the cluster. */
export function leaderMoves(view: ClusterView, proxies: () => readonly ProxyPort[]): Moves {
  const portsFor = async (record: DatabaseRecord): Promise<ShardPorts> => {
    const password = await view.passwords.of(record);
    return {
      proxies: proxies(),
      addressOf: (instance) => engineAddress(view, instance, password),
      change: async (change) => {
        const stored = await view.records.changeDatabase(record.uid, change);
        if (stored === undefined)
          throw new Fault(faults.recordMoved, `database ${record.uid} is gone`, { bdb: record.uid });
        return stored;
      },
      log: view.log,
    };
  };
  const look = async (record: DatabaseRecord, instance: number): Promise<InstanceFacts | undefined> =>
    (await gatherFacts(view, record, new Set())).instances.get(instance);

  return {
    async switchOver(record, shard, to) {
      const result = await switchOver({ record, shard, to }, await portsFor(record));
      if (result.kind === "done") view.log.info("switched over", { bdb: record.uid, shard, to, ...result.timings });
      else throw notDone(record, `${result.kind}: ${result.reason}`);
    },
    async resumeSwitchover(record, shard) {
      const target = shardOf(record, shard).switchover?.to ?? -1;
      const targetDead = (await look(record, target))?.state === "dead";
      const result = await resolveIntent({ record, shard, targetDead }, await portsFor(record));
      if (result.kind === "waiting") throw notDone(record, result.reason);
    },
    async failOver(record, shard, to, lastSeen: LastSeen | undefined) {
      const old = primaryOf(shardOf(record, shard)).id;
      await failOver(
        {
          record,
          shard,
          to,
          proof: async () => proofOfEnd(await look(record, old)),
          ...(lastSeen === undefined
            ? {}
            : { lastSeen: { offset: lastSeen.offset, agoMs: view.clock.now().getTime() - lastSeen.at } }),
        },
        { ...(await portsFor(record)), clock: view.clock },
      );
    },
    async reattach(record, shard, replica) {
      const ports = await portsFor(record);
      // a leader that stood still for a while has been succeeded, and would attach the new primary to the old one
      const { epoch, instances } = shardOf(await ports.change((stored) => stored), shard);
      if (epoch !== shardOf(record, shard).epoch) throw notDone(record, "another leader has changed the primary");
      const primary = primaryOf(shardOf(record, shard));
      const host = addressOf(view, primary.node);
      const stray = instances.filter(({ id }) => id === replica);
      if (host === undefined) throw notDone(record, `node ${primary.node} has no address`);
      const failed = await attachAll(stray, { host, port: primary.port }, ports);
      if (failed.length > 0) throw notDone(record, `replica ${replica} cannot be attached now`);
    },
    async verify(record, shard, replica) {
      const { instances } = shardOf(record, shard);
      const ports = await portsFor(record);
      const address = (instance: InstanceRecord | undefined) => {
        const found = instance === undefined ? undefined : ports.addressOf(instance);
        if (found === undefined) throw notDone(record, "an instance to compare has no address");
        return found;
      };
      const result = await verifyReplica({
        primary: address(primaryOf(shardOf(record, shard))),
        replica: address(instances.find(({ id }) => id === replica)),
      });
      view.log.info("replica compared with its primary", { bdb: record.uid, replica, ...result });
      if (result.different > 0) throw notDone(record, differenceStory(record, replica, result));
    },
  };
}

function shardOf(record: DatabaseRecord, id: number) {
  const shard = record.shards.find((one) => one.id === id);
  if (shard === undefined) throw new Fault(faults.recordMoved, `database ${record.uid} has no shard ${id}`);
  return shard;
}

function differenceStory(record: DatabaseRecord, replica: number, { different, keys, examples }: VerifyResult): string {
  const named = examples.length === 0 ? "" : `, for instance ${examples.slice(0, 3).join(", ")}`;
  return `instance ${replica} of "${record.name}" differs from its primary in ${different} of ${keys} keys${named}`;
}

function notDone(record: DatabaseRecord, reason: string): Fault {
  return new Fault(faults.moveNotDone, reason, { bdb: record.uid });
}
