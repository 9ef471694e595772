import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { openPermits } from "../../../../test/kit/time/lease.ts";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { ArenaPool } from "./arena.ts";
import { LanePool } from "./lane-pool.ts";

test("lanes: that the engine lacks a database is kept for those that wait, and then forgotten", async () => {
  const clock = new FakeClock();
  const refusal = Buffer.from("-ERR DB index is out of range\r\n");
  let dialled = 0;
  const pool = new LanePool({
    clock,
    arenas: new ArenaPool(),
    permits: openPermits(),
    isRetired: () => false,
    changed: () => undefined,
    unreachable: () => undefined,
    dial: () => {
      dialled += 1;
      return Promise.reject(new Fault(faults.notPrepared, "it refuses the connection", { answer: refusal }));
    },
  });
  for (const database of [700_000, 700_001]) {
    const settings = { protocol: 2, database };
    const before = dialled;
    assert.equal(pool.choose(settings), undefined);
    await clock.advance(0);
    assert.deepEqual(pool.choose(settings), { refused: refusal });
    assert.equal(dialled, before + 1);
    await clock.advance(1_000);
    assert.equal(pool.choose(settings), undefined, "nothing is known of it any more");
    assert.equal(dialled, before + 2);
    await clock.advance(1_000);
  }
});
