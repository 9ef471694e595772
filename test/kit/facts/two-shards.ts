import type { DatabaseRecord, ShardRecord } from "../../../src/core/api/records.ts";
import type { DatabaseFacts, InstanceFacts, NodeFacts } from "../../../src/core/planner/database/facts.ts";
import { factsOf, on, primary, serving } from "./database-scene.ts";

/** A database of two shards in few words; what is not said is healthy. */
export interface TwoShards {
  readonly record?: Partial<DatabaseRecord>;
  readonly first?: Partial<ShardRecord>;
  readonly second?: Partial<ShardRecord>;
  /** Of the instances that are not healthy. */
  readonly but?: Readonly<Record<number, InstanceFacts>>;
  readonly nodes?: readonly NodeFacts[];
}

const LOW = { from: 0, to: 8_191 };
const HIGH = { from: 8_192, to: 16_383 };

/** Shard 1 has its primary 1 on node 1 and its replica 2 on node 2; shard 2 its primary 3 on node 2 and its replica 4 on node 3. */
export function twoShards({ record = {}, first = {}, second = {}, but = {}, nodes = [] }: TwoShards): DatabaseFacts {
  const scene = factsOf({ instances: [on(1, 1), on(2, 2)], record, nodes });
  const shards: readonly ShardRecord[] = [
    { id: 1, epoch: 1, primary: 1, instances: [on(1, 1), on(2, 2)], slots: [LOW], ...first },
    { id: 2, epoch: 1, primary: 3, instances: [{ ...on(3, 2), launch: 1 }, on(4, 3)], slots: [HIGH], ...second },
  ];
  const instances = shards.flatMap((shard) =>
    shard.instances.map(({ id }) => [id, but[id] ?? (id === shard.primary ? primary : serving)] as const),
  );
  return { ...scene, record: { ...scene.record, shards }, instances: new Map(instances) };
}
