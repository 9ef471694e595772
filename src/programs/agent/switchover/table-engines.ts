import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { replacedShards } from "../../../core/planner/database/replaced-shards.ts";
import { faults } from "../faults.ts";
import { nameConnection, openEngine, type EngineControl } from "./engines.ts";
import type { TablePorts } from "./table-ports.ts";

/** The name of connections over which a leader switches to the next table. */
export const TABLE_SWITCH = "store-table-switch";

/** A shard with its engines connected. */
export interface ConnectedShard {
  readonly shard: ShardRecord;
  readonly primary: EngineControl;
  readonly replicas: readonly EngineControl[];
}

/** The shards that are replaced and those in their place, whose connections are never made anew: an engine that has ended since is another one. */
export interface TableEngines {
  readonly sources: readonly ConnectedShard[];
  readonly targets: readonly ConnectedShard[];
  close(): void;
}

/** Connects to the primaries of shards that are replaced, and to all engines of the shards to be; AGENT_SWITCHOVER_REFUSED or the client's Fault when one is not there. */
export async function connectTable(
  record: DatabaseRecord,
  ports: Pick<TablePorts, "addressOf">,
): Promise<TableEngines> {
  const opened: EngineControl[] = [];
  const close = (): void => {
    for (const { client } of opened) client.close();
  };
  const open = async (instance: InstanceRecord): Promise<EngineControl> => {
    const address = ports.addressOf(instance);
    if (address === undefined)
      throw new Fault(faults.switchoverRefused, `the node of instance ${instance.id} has no address`);
    const engine = await openEngine(address);
    opened.push(engine);
    await nameConnection(engine, TABLE_SWITCH);
    return engine;
  };
  const connect = async (shard: ShardRecord, others: readonly InstanceRecord[]): Promise<ConnectedShard> => ({
    shard,
    primary: await open(primaryOf(shard)),
    replicas: await Promise.all(others.map(open)),
  });
  try {
    const sources = await settle(replacedShards(record).map((shard) => connect(shard, [])));
    const targets = await settle((record.reshape?.shards ?? []).map((shard) => connect(shard, replicasOf(shard))));
    return { sources, targets, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Waits for all, also when one fails: what they opened is closed then. */
async function settle<T>(pending: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(pending);
  return Promise.all(pending);
}
