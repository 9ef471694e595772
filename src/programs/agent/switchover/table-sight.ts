import { Fault } from "#kit/base/fault";
import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { replacedShards } from "../../../core/planner/database/replaced-shards.ts";
import type { SourceSight, TableSight, TargetSight } from "../../../core/planner/database/table-outcome.ts";
import { closeNamed, roleOf, withEngine, type RoleView } from "./engines.ts";
import { isFenced } from "./former-primary.ts";
import { TABLE_SWITCH } from "./table-engines.ts";
import type { TablePorts } from "./table-ports.ts";

/** The process of an instance has ended, or the lease of its node has expired. */
export type IsDead = (instance: number) => boolean;

/** What all primaries show of a switch, each after every command of the leader that began it: its connections are closed, and it makes no new ones. */
export async function lookAtTable(
  record: DatabaseRecord,
  isDead: IsDead,
  ports: Pick<TablePorts, "addressOf">,
): Promise<TableSight> {
  const [targets, sources] = await Promise.all([
    lookAtTargets(record, isDead, ports),
    Promise.all(replacedShards(record).map(async (shard) => sourceSight(await settle(shard, isDead, ports)))),
  ]);
  return { targets, sources };
}

/** The same of the shards to be alone. */
export async function lookAtTargets(
  { reshape }: DatabaseRecord,
  isDead: IsDead,
  ports: Pick<TablePorts, "addressOf">,
): Promise<readonly TargetSight[]> {
  const looks = (reshape?.shards ?? []).map(async (shard) => ({
    state: targetState(await settle(shard, isDead, ports)),
    hasReplica: replicasOf(shard).some(({ id }) => !isDead(id)),
  }));
  return Promise.all(looks);
}

type Sight = RoleView | "gone" | "silent";

function targetState(sight: Sight): TargetSight["state"] {
  if (typeof sight === "string") return sight;
  return sight.role === "primary" ? "promoted" : "filled";
}

function sourceSight(sight: Sight): SourceSight {
  if (typeof sight === "string") return sight;
  if (sight.role === "primary") return "serving";
  return isFenced(sight) ? "retired" : "gone";
}

async function settle(
  shard: ShardRecord,
  isDead: IsDead,
  { addressOf }: Pick<TablePorts, "addressOf">,
): Promise<Sight> {
  const primary = primaryOf(shard);
  const address = addressOf(primary);
  if (isDead(primary.id)) return "gone";
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
