import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { LIMITS } from "../limits/limits.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { OutputLimit } from "./output-limit.ts";

const SECOND = 1_000;

/** A client for which too much waits, looked at once more each time that something changes. */
function slowClient() {
  const clock = new FakeClock();
  const output = { queuedBytes: LIMITS.queuedBytes + 1, takenBytes: 0, heldBytes: 0 };
  const cuts: string[] = [];
  const budget = new MemoryBudget(LIMITS.allHeldBytes);
  const limit = new OutputLimit(output, { clock, budget, cut: (why) => cuts.push(why) });
  limit.check();
  return { clock, output, limit, cuts };
}

test("a client that reads nothing of a large reply is cut after ten seconds, and not before", async () => {
  const { clock, cuts } = slowClient();
  await clock.advance(10 * SECOND - 1);
  assert.deepEqual(cuts, []);
  await clock.advance(1);
  assert.deepEqual(cuts, ["the client does not read its replies"]);
  await clock.advance(60 * SECOND);
  assert.equal(cuts.length, 1);
});

test("each byte that it reads gives it ten seconds more", async () => {
  const { clock, output, cuts } = slowClient();
  for (let read = 1; read <= 3; read += 1) {
    await clock.advance(9 * SECOND);
    output.takenBytes = read;
  }
  assert.deepEqual(cuts, []);
  await clock.advance(11 * SECOND);
  assert.equal(cuts.length, 1);
});

test("one that has read what was too much is looked at no more, and neither is one that has gone", async () => {
  const read = slowClient();
  read.output.takenBytes = 1;
  read.output.queuedBytes = LIMITS.queuedBytes;
  const gone = slowClient();
  await gone.clock.advance(3 * SECOND);
  gone.limit.stop();
  for (const { clock, cuts } of [read, gone]) {
    await clock.advance(60 * SECOND);
    assert.deepEqual([cuts, clock.sleeping], [[], 0]);
  }
});
