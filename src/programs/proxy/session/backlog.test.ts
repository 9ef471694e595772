import assert from "node:assert/strict";
import { test } from "node:test";
import { NotedMemory } from "../../../../test/kit/engines/noted-memory.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { Counters } from "../limits/counters.ts";
import { replies } from "../protocol/replies.ts";
import { Backlog, type RequestOwner } from "./backlog.ts";

const READ = { request: encodeCommand(["GET", "k".repeat(20_000)]), sent: true };

test("reads that were on a lost lane are kept for a client that is there, and not for one that is gone", async () => {
  for (const isGone of [false, true]) {
    const clock = new FakeClock();
    const memory = new NotedMemory(2 ** 27);
    const owner = ownerOf();
    const route = { inFlight: 0, usableLane: () => undefined, cut: nothing, settled: nothing };
    const primary = { held: false, holdMs: 1_000, upstream: undefined, unavailable: false, refusal: replies.noPrimary };
    const backlog = new Backlog(route, { clock, memory, counters: new Counters() }, primary);
    if (isGone) backlog.drop();
    assert.equal(backlog.takeOver([READ], owner), true);
    assert.equal(backlog.active, !isGone);
    assert.equal(memory.heldBytes > 0, !isGone);
    await clock.advance(0);
    assert.equal(clock.sleeping > 0, !isGone, "and nothing is tried again");
    backlog.drop();
  }
});

function nothing(): void {
  // nothing of it is looked at here
}

function ownerOf(): RequestOwner {
  return {
    client: "127.0.0.1:1",
    inFlight: 0,
    deferred: 0,
    wantsWholeReplies: false,
    deliver: nothing,
    reply: nothing,
    finished: nothing,
    answered: nothing,
    cut: nothing,
    settled: nothing,
    lost: nothing,
  };
}
