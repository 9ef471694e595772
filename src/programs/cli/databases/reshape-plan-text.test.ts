import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShardsPlanRecord } from "../../../ports/management/records/shards-plan.ts";
import { reshapePlanText } from "./reshape-plan-text.ts";

const MIB = 1024 * 1024;
const PLAN: ShardsPlanRecord = {
  shards_count: 1,
  shards_count_asked: 2,
  used_memory: 30 * MIB,
  copy_seconds: 9,
  shard_memory: 25 * MIB,
  shard_slots_asked: ["0-8191", "8192-16383"],
  shards: [
    { assigned_slots: "0-8191", node_uids: ["1", "2"], memory: 25 * MIB, part_of_keys: 0.4 },
    { assigned_slots: "8192-16383", node_uids: ["3"], memory: 25 * MIB, part_of_keys: 0.6 },
  ],
  kept_shards: [],
  nodes: [{ node_uid: "1", memory: 100 * MIB, memory_meanwhile: 150 * MIB, memory_afterwards: 50 * MIB }],
  copying_node_uid: "2",
};

test("a plan says what is copied, what clients see, where shards will be, and the memory that it takes meanwhile", () => {
  assert.deepEqual(
    reshapePlanText("carts", PLAN, 200)
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/).join("|")),
    [
      "carts: from one shard to 2 shards. 30 MiB are copied, by node 2, in some 9 s on nodes at rest; each shard has 25 MiB then.",
      "Clients keep their connections, and are held once, for some milliseconds, when the new shards take over.",
      "Commands with keys of several slots, which one shard takes, get CROSSSLOT from several: store_endpoint_multi_slot_requests_total counts them.",
      "",
      "SLOTS|PRIMARY|REPLICAS",
      "0-8191|node 1|node 2",
      "8192-16383|node 3|-",
      "",
      "NODE|MEMORY NOW|MEANWHILE|AFTERWARDS",
      "node 1|100 MiB|150 MiB|50 MiB",
      "",
    ],
  );
});

for (const [part, says] of [
  [0.74, undefined],
  [0.8, /80 % of those looked at would be of one shard, which would take some 24 MiB\.$/m],
  [0.96, /take some 28\.8 MiB\. It is more than its share: .*MemoryTooSmall/],
] as const)
  test(`of keys of which ${part} would be of one shard ${says === undefined ? "nothing is said" : "it is said"}`, () => {
    const shards = PLAN.shards.map((shard, at) => ({ ...shard, part_of_keys: at === 0 ? part : 1 - part }));
    const text = reshapePlanText("carts", { ...PLAN, shards }, 200);
    if (says === undefined) assert.doesNotMatch(text, /few slots/);
    else assert.match(text, says);
  });

test("of several shards nothing is said of commands over several slots", () => {
  assert.doesNotMatch(reshapePlanText("carts", { ...PLAN, shards_count: 4 }, 200), /CROSSSLOT/);
});

test("shards that stay are shown beside the new ones, with what each may use", () => {
  const [first, second] = PLAN.shards;
  assert.ok(first !== undefined && second !== undefined);
  const kept_shards = [{ assigned_slots: "866", node_uids: ["2"], memory: 20 * MIB }];
  const shards = [
    { ...first, assigned_slots: "0-865" },
    { ...second, assigned_slots: "867-16383", memory: 55 * MIB },
  ];
  const text = reshapePlanText("carts", { ...PLAN, shards_count: 3, shards_count_asked: 3, shards, kept_shards }, 200);
  const lines = text.split("\n").map((line) => line.trim().split(/ {2,}/).join("|"));
  assert.match(text, /^carts: other slots for 2 of 3 shards; one shard stays as it is\. .* the table says what each/);
  assert.deepEqual(lines.slice(3, 7), [
    "SLOTS|PRIMARY|REPLICAS|MEMORY|SHARD",
    "0-865|node 1|node 2|25 MiB|new",
    "866|node 2|-|20 MiB|stays",
    "867-16383|node 3|-|55 MiB|new",
  ]);
  assert.doesNotMatch(text, /few slots/, "it is meant");
});
