import assert from "node:assert/strict";
import { test as each } from "node:test";
import type { Clock } from "#kit/base/clock";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { until } from "#kit/testing/until";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import type { PendingRequest } from "./pending-request.ts";
import { WaitLimit } from "./wait-limit.ts";

const test = sharing(async () => {
  const served = await Served.start();
  await served.move(); // to the newer engine
  return served;
});

/** Commands whose timeout engines from 7.2 on forget when they had to put them off. */
const WAITS: readonly (readonly string[])[] = [
  ["BLPOP", "none", "0.2"],
  ["BLMOVE", "none", "to", "LEFT", "RIGHT", "0.2"],
  ["BZMPOP", "0.2", "1", "none", "MIN"],
  ["XREADGROUP", "GROUP", "group", "one", "BLOCK", "200", "STREAMS", "stream", ">"],
];

for (const command of WAITS)
  test(`${command[0]} that came while writes were paused ends when its time is over`, async (served) => {
    const client = await served.client();
    const { primary } = served;
    await client.ask("DEL", "none", "stream");
    await client.ask("XGROUP", "CREATE", "stream", "group", "0", "MKSTREAM");
    await primary.call("CLIENT", "PAUSE", "60000", "WRITE");
    client.send(...command);
    await until("the engine keeps it", async () =>
      / flags=\S*b\S* /.test(String(await primary.call("CLIENT", "LIST"))),
    );
    await primary.call("CLIENT", "UNPAUSE");
    assert.equal(await client.read(), null);
    client.close();
  });

each("a wait is ended behind its time and not before, by a second look, and again with growing pauses", async () => {
  const { clock, limit, ends, set } = setUp();
  set(pendingOf("BLPOP", "a", "2"));
  limit.note();
  await clock.advance(2_550);
  assert.equal(ends(), 0);
  await clock.advance(100);
  assert.equal(ends(), 1);
  await clock.advance(900);
  assert.equal(ends(), 1);
  await clock.advance(200);
  assert.equal(ends(), 2);
  await clock.advance(60_000);
  assert.ok(ends() >= 7 && ends() <= 12, String(ends()));
});

each(
  "a request that was answered, one that waits without end, and one behind another blocking command are not ended",
  async () => {
    const { clock, limit, ends, set } = setUp();
    for (const next of [
      pendingOf("BLPOP", "a", "1"),
      pendingOf("BLPOP", "a", "0"),
      pendingOf("BLPOP", "b", "3"),
      undefined,
    ]) {
      set(next);
      limit.note();
      await clock.advance(1_500);
    }
    assert.equal(ends(), 0);
    set(pendingOf("BLPOP", "a", "1"));
    limit.note();
    limit.stop();
    await clock.advance(60_000);
    assert.equal(ends(), 0);
  },
);

each("a wait ends by the time that has passed, also when the date is set back meanwhile", async () => {
  let backMs = 0;
  const { clock, limit, ends, set } = setUp((real) => ({
    now: () => new Date(real.now().getTime() - backMs),
    uptimeMs: () => real.uptimeMs(),
    sleep: (ms, signal) => real.sleep(ms, signal),
  }));
  set(pendingOf("BLPOP", "a", "2"));
  limit.note();
  await clock.advance(1_000);
  backMs = 3_600_000;
  await clock.advance(1_550);
  assert.equal(ends(), 0);
  await clock.advance(100);
  assert.equal(ends(), 1);
});

function setUp(seenAs: (real: Clock) => Clock = (real) => real) {
  const clock = new FakeClock();
  let blocking: PendingRequest | undefined;
  let count = 0;
  const limit = new WaitLimit(seenAs(clock), { blocking: () => blocking, end: () => void (count += 1) });
  return { clock, limit, ends: () => count, set: (next: PendingRequest | undefined) => void (blocking = next) };
}

function pendingOf(...command: readonly string[]): PendingRequest {
  return { kind: "blocking", request: encodeCommand(command), count: 1, replies: 1, since: 0 };
}
