import assert from "node:assert/strict";
import { test } from "node:test";
import { SYNC_PROTOCOL, walk } from "../../../../test/kit/model/sync-replies.ts";
import type { SyncProtocol } from "../../../../test/kit/model/sync-replies.ts";

test("in no state that two proxies, a replica and a leader can reach is an acknowledged write missing after a failover", () => {
  const { loss, promotions, states } = walk(SYNC_PROTOCOL);
  assert.deepEqual(loss, undefined);
  assert.ok(promotions > 0 && states > 1_000, `${promotions} promotions in ${states} states`);
});

for (const rule of Object.keys(SYNC_PROTOCOL) as (keyof SyncProtocol)[])
  test(`without the rule ${rule} alone, a write is lost`, () => {
    assert.notEqual(walk({ ...SYNC_PROTOCOL, [rule]: false }).loss, undefined);
  });
