import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOWN_PRIMARY as ENGINE } from "../../../../test/kit/facts/shown-primary.ts";
import { shardsTable, shownShards } from "./shards-report.ts";

const SECOND = { ...ENGINE, uid: "3", shard: 2, epoch: 1, assigned_slots: "8192-16383", node_uid: "2" };
const REPLICA = { ...ENGINE, uid: "2", role: "slave", node_uid: "3", in_sync: false } as const;
const ORDERS = [{ uid: 1, name: "orders" }];
const MEASURED = {
  "1": { no_of_keys: 30, used_memory: 3_145_728, memory_limit: 50_000_000, total_req: 100 },
  "3": { no_of_keys: 10, used_memory: 3_145_728, memory_limit: 50_000_000, total_req: 0 },
};

test("a shard is a row, in the order of slots, and a database of several says how evenly they are used", () => {
  const table = shardsTable(shownShards(ORDERS, [SECOND, REPLICA, ENGINE], MEASURED), 200);
  assert.deepEqual(
    table.split("\n").map((line) => line.trim().split(/ {2,}/)),
    [
      "DATABASE,SHARD,SLOTS,STATUS,VERSION,PRIMARY,REPLICAS,MOVES,KEYS,MEMORY,LIMIT,REQUESTS/S".split(","),
      ["orders", "1", "0-8191", "active, 1 of 1 replicas behind", "8.0", "node 1", "node 3", "2", "30", "3 MiB"].concat(
        ["47.7 MiB", "100"],
      ),
      ["orders", "2", "8192-16383", "active", "8.0", "node 2", "-", "0", "10", "3 MiB", "47.7 MiB", "0"],
      [""],
      [
        "orders: shard 1 has 1.50 x the mean of keys, shard 1 has 1.00 x the mean of memory, shard 1 has 2.00 x the mean of requests",
      ],
      [""],
    ],
  );
});

test("what an engine does not answer is not known, and nothing is compared with it", () => {
  const shown = shownShards(ORDERS, [ENGINE, { ...SECOND, status: "inactive", detailed_status: "down" }], {
    "1": MEASURED["1"],
  });
  assert.deepEqual(
    shown.map(({ status, keys }) => [status, keys]),
    [
      ["active", 30],
      ["down", Number.NaN],
    ],
  );
  assert.doesNotMatch(shardsTable(shown, 200), /the mean/);
});

test("a database of one shard compares nothing, and there may be none", () => {
  assert.doesNotMatch(shardsTable(shownShards(ORDERS, [ENGINE], MEASURED), 200), /the mean/);
  assert.equal(shardsTable(shownShards([], [ENGINE], MEASURED), 200), "no shards\n");
});

test("how often the primary has changed is not known where a node of an older release does not say it", () => {
  const { epoch: _unsaid, shard: _only, ...older } = ENGINE;
  const [, row = ""] = shardsTable(shownShards(ORDERS, [older], MEASURED), 200).split("\n");
  assert.match(row, /^orders +1 .* node 1 +- +- +30 /);
});
