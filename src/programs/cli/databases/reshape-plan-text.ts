import type { ShardsPlanRecord } from "../../../ports/management/records/shards-plan.ts";
import { textTable } from "../console/output.ts";
import { shardsText } from "./asked-shards.ts";
import { bytesText } from "../console/units.ts";

/** How a database gets other shards, and what that takes, for people. */
export function reshapePlanText(database: string, plan: ShardsPlanRecord, columns: number): string {
  const { shards_count: from, used_memory, copying_node_uid: node, copy_seconds: seconds } = plan;
  const nodes = plan.nodes.map((one) => [
    `node ${one.node_uid}`,
    bytesText(one.memory),
    bytesText(one.memory_meanwhile),
    bytesText(one.memory_afterwards),
  ]);
  const lines = [
    `${database}: ${changeText(plan)}. ${bytesText(used_memory)} are copied, by node ${node}, in some ${seconds} s on nodes at rest; ${shareText(plan)}.`,
    "Clients keep their connections, and are held once, for some milliseconds, when the new shards take over.",
    ...(from === 1 ? [SPLIT] : []),
    ...unevenText(plan),
  ];
  return `${lines.join("\n")}\n\n${shardsTable(plan, columns)}\n${textTable(["NODE", "MEMORY NOW", "MEANWHILE", "AFTERWARDS"], nodes, columns)}`;
}

function changeText({
  shards_count: from,
  shards_count_asked: to,
  shards,
  kept_shards: kept,
}: ShardsPlanRecord): string {
  const change =
    from === to
      ? `other slots for ${shards.length} of ${shardsText(from)}`
      : `from ${shardsText(from)} to ${shardsText(to)}`;
  return kept.length === 0
    ? change
    : `${change}; ${shardsText(kept.length)} ${kept.length === 1 ? "stays" : "stay"} as ${kept.length === 1 ? "it is" : "they are"}`;
}

function shareText({ shards, kept_shards: kept, shard_memory: share }: ShardsPlanRecord): string {
  if (isEven([...shards, ...kept])) return `each shard has ${bytesText(share)} then`;
  return "the table says what each shard may use then";
}

/** Shares of even slots differ by a slot's. */
function isEven(shards: readonly { readonly memory: number }[]): boolean {
  const all = shards.map(({ memory }) => memory);
  return Math.max(...all) < 1.01 * Math.min(...all);
}

function shardsTable({ shards, kept_shards: kept }: ShardsPlanRecord, columns: number): string {
  const lowest = ({ assigned_slots: slots }: { readonly assigned_slots: string }): number => Number.parseInt(slots, 10);
  const rows = [
    ...shards.map((shard) => ({ ...shard, is: "new" })),
    ...kept.map((shard) => ({ ...shard, is: "stays" })),
  ]
    .toSorted((one, other) => lowest(one) - lowest(other))
    .map(({ assigned_slots: slots, memory, node_uids: [primary = "", ...replicas], is }) => [
      slots,
      `node ${primary}`,
      replicas.map((uid) => `node ${uid}`).join(", ") || "-",
      bytesText(memory),
      is,
    ]);
  const isPlain = kept.length === 0 && isEven(shards);
  const width = isPlain ? PLAIN : ["SLOTS", "PRIMARY", "REPLICAS", "MEMORY", ""].length;
  return textTable(
    ["SLOTS", "PRIMARY", "REPLICAS", "MEMORY", "SHARD"].slice(0, width),
    rows.map((row) => row.slice(0, width)),
    columns,
  );
}

/** Columns where all shards are alike. */
const PLAIN = 3;

/** From this on, in shares of a shard of evenly many keys, it is said that keys are not spread. */
const UNEVEN = 1.5;

/** Keys with a tag in braces have few slots, and these cannot be divided. */
function unevenText({ shards, used_memory: used }: ShardsPlanRecord): readonly string[] {
  const fullest = shards
    .map(({ part_of_keys: part = 0, memory }) => ({ part, takes: part * used, memory }))
    .toSorted((one, other) => other.takes / other.memory - one.takes / one.memory)
    .at(0);
  if (fullest === undefined || shards.length === 1) return [];
  const { part, takes, memory } = fullest;
  if (takes <= memory && !(isEven(shards) && part * shards.length >= UNEVEN)) return [];
  const end =
    takes > memory
      ? " It is more than its share: the new shards will not serve before it has room (MemoryTooSmall)."
      : "";
  const percent = Math.round(100 * part);
  return [
    `Keys share few slots: ${percent} % of those looked at would be of one shard, which would take some ${bytesText(takes)}.${end}`,
  ];
}

/** What one shard permits and several do not. */
const SPLIT =
  "Commands with keys of several slots, which one shard takes, get CROSSSLOT from several: store_endpoint_multi_slot_requests_total counts them.";
