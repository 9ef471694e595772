import type { DatabaseRecord, ReshapeIntent, ReshapePhase } from "../../../src/core/api/records.ts";
import { factsOf, on } from "./database-scene.ts";

const LOW = { from: 0, to: 8_191 };
const HIGH = { from: 8_192, to: 16_383 };

/**
 * A database of one shard that becomes two: shard 1 has its primary 1 on node 1 and its replica 2 on node 2. Shard 2 is to have its primary 3 on node 2 and
 * its replica 4 on node 3, shard 3 its primary 5 on node 3. The mover is on node 3.
 */
export function reshapedRecord(phase: ReshapePhase = "copy", over: Partial<ReshapeIntent> = {}): DatabaseRecord {
  const { record } = factsOf({ instances: [on(1, 1), on(2, 2)] });
  const replica = (id: number, node: number) => ({ ...on(id, node), launch: 0 });
  return {
    ...record,
    nextInstance: 6,
    reshape: {
      tableEpoch: 1,
      phase,
      shards: [
        { id: 2, epoch: 1, primary: 3, instances: [replica(3, 2), replica(4, 3)], slots: [LOW] },
        { id: 3, epoch: 1, primary: 5, instances: [replica(5, 3)], slots: [HIGH] },
      ],
      mover: { node: 3, ports: [20_101, 20_102] },
      attempt: 1,
      since: "2026-01-01T00:00:00Z",
      ...over,
    },
  };
}
