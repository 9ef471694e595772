import type { ShardsPlanRecord } from "../../../ports/management/records/shards-plan.ts";
import { textTable } from "../console/output.ts";
import { shardsText } from "./asked-shards.ts";
import { bytesText } from "../console/units.ts";

/** How a database gets another number of shards, and what that takes, for people. */
export function reshapePlanText(database: string, plan: ShardsPlanRecord, columns: number): string {
  const { shards_count: from, shards_count_asked: to, used_memory, copying_node_uid: node } = plan;
  const { copy_seconds: seconds, shard_memory: share } = plan;
  const shards = plan.shards.map(({ assigned_slots: slots, node_uids: [primary = "", ...replicas] }) => [
    slots,
    `node ${primary}`,
    replicas.map((uid) => `node ${uid}`).join(", ") || "-",
  ]);
  const nodes = plan.nodes.map((one) => [
    `node ${one.node_uid}`,
    bytesText(one.memory),
    bytesText(one.memory_meanwhile),
    bytesText(one.memory_afterwards),
  ]);
  const lines = [
    `${database}: from ${shardsText(from)} to ${shardsText(to)}. ${bytesText(used_memory)} are copied, by node ${node}, in some ${seconds} s on nodes at rest; each shard has ${bytesText(share)} then.`,
    "Clients keep their connections, and are held once, for some milliseconds, when the new shards take over.",
    ...(from === 1 ? [SPLIT] : []),
    ...unevenText(plan),
  ];
  return `${lines.join("\n")}\n\n${textTable(["SLOTS", "PRIMARY", "REPLICAS"], shards, columns)}\n${textTable(["NODE", "MEMORY NOW", "MEANWHILE", "AFTERWARDS"], nodes, columns)}`;
}

/** From this on, in shares of a shard of evenly many keys, it is said that keys are not spread. */
const UNEVEN = 1.5;

/** Keys with a tag in braces have few slots, and these cannot be divided. */
function unevenText({
  fullest_part: part = 0,
  shards_count_asked: to,
  used_memory: used,
  shard_memory: share,
}: ShardsPlanRecord): readonly string[] {
  if (part * to < UNEVEN || to === 1) return [];
  const [percent, takes] = [Math.round(100 * part), part * used];
  const end =
    takes > share
      ? " It is more than its share: the new shards will not serve before it has room (MemoryTooSmall)."
      : "";
  return [
    `Keys share few slots: ${percent} % of those looked at would be of one shard, which would take some ${bytesText(takes)}.${end}`,
  ];
}

/** What one shard permits and several do not. */
const SPLIT =
  "Commands with keys of several slots, which one shard takes, get CROSSSLOT from several: store_endpoint_multi_slot_requests_total counts them.";
