import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShardsPlanRecord } from "../../../ports/management/records/shards-plan.ts";
import { reshapePlanText } from "./reshape-plan-text.ts";

const MIB = 1024 * 1024;
const PLAN: ShardsPlanRecord = {
  shards_count: 1,
  shards_count_asked: 2,
  used_memory: 30 * MIB,
  shards: [
    { assigned_slots: "0-8191", node_uids: ["1", "2"] },
    { assigned_slots: "8192-16383", node_uids: ["3"] },
  ],
  nodes: [{ node_uid: "1", memory: 100 * MIB, memory_meanwhile: 150 * MIB, memory_afterwards: 50 * MIB }],
  copying_node_uid: "2",
};

test("a plan says what is copied, what clients see, where shards will be, and the memory that it takes meanwhile", () => {
  assert.deepEqual(
    reshapePlanText("carts", PLAN, 200)
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/).join("|")),
    [
      "carts: from one shard to 2 shards. 30 MiB are copied, by node 2.",
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

test("of several shards nothing is said of commands over several slots", () => {
  assert.doesNotMatch(reshapePlanText("carts", { ...PLAN, shards_count: 4 }, 200), /CROSSSLOT/);
});
