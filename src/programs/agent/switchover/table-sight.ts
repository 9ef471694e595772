import { Fault } from "#kit/base/fault";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { replacedShards } from "../../../core/planner/database/replaced-shards.ts";
import type { SourceSight, TableSight, TargetSight } from "../../../core/planner/database/table-outcome.ts";
import { closeNamed, roleOf, withEngine, type RoleView } from "./engines.ts";
import { isFenced } from "./former-primary.ts";
import { TABLE_SWITCH } from "./table-engines.ts";
import type { TablePorts } from "./table-ports.ts";

/** The process of an instance has ended, or the lease of its node has expired. */
export type IsDead = (instance: number) => boolean;

/** What all shards show of a switch, each after every command of the leader that began it: its connections are closed, and it makes no new ones. */
export async function lookAtTable(
  record: DatabaseRecord,
  isDead: IsDead,
  ports: Pick<TablePorts, "addressOf">,
): Promise<TableSight> {
  const [targets, sources] = await Promise.all([
    lookAtTargets(record, isDead, ports),
    Promise.all(
      replacedShards(record).map(async (shard) => sourceSight(await settle(primaryOf(shard), isDead, ports))),
    ),
  ]);
  return { targets, sources };
}

/** The same of the shards to be alone. */
export async function lookAtTargets(
  { reshape }: DatabaseRecord,
  isDead: IsDead,
  ports: Pick<TablePorts, "addressOf">,
): Promise<readonly TargetSight[]> {
  return Promise.all((reshape?.shards ?? []).map((shard) => lookAtTarget(shard, isDead, ports)));
}

async function lookAtTarget(
  shard: ShardRecord,
  isDead: IsDead,
  ports: Pick<TablePorts, "addressOf">,
): Promise<TargetSight> {
  const primary = await settle(primaryOf(shard), isDead, ports);
  if (primary === "silent") return primary;
  if (primary !== "gone") return primary.role === "primary" ? "promoted" : "filled";
  const replicas = await Promise.all(replicasOf(shard).map((replica) => settle(replica, isDead, ports)));
  if (replicas.some(hasFollowedOn)) return "promoted";
  return replicas.includes("silent") ? "silent" : "gone";
}

/** Its stream has another id than that of the mover, and began there: it has followed its primary after the promotion, with whatever clients wrote. */
function hasFollowedOn(replica: Sight): boolean {
  return typeof replica !== "string" && replica.promotedAt !== -1;
}

type Sight = RoleView | "gone" | "silent";

function sourceSight(sight: Sight): SourceSight {
  if (typeof sight === "string") return sight;
  if (sight.role === "primary") return "serving";
  return isFenced(sight) ? "retired" : "gone";
}

async function settle(
  instance: InstanceRecord,
  isDead: IsDead,
  { addressOf }: Pick<TablePorts, "addressOf">,
): Promise<Sight> {
  const address = addressOf(instance);
  if (isDead(instance.id)) return "gone";
  if (address === undefined) return "silent";
  try {
    return await withEngine(address, async (engine) => {
      await closeNamed(engine, TABLE_SWITCH);
      return roleOf(engine);
    });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return "silent";
  }
}
