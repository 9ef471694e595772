import assert from "node:assert/strict";
import { test } from "node:test";
import { crowdOf } from "../../../../test/kit/engines/crowd.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { memoryOf } from "../../../../test/kit/facts/memory.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const MEBIBYTE = 2 ** 20;
/** What a node leaves for its proxy. All that is sent here would be 630 MiB, beside the 110 of a proxy without clients. */
const ROOM_MIB = 512;

test("channels that clients subscribe to, and prefixes that they track, count: the clients with the most are cut", async () => {
  await using served = await Served.start();
  const modest = await served.client();
  assert.equal(await modest.ask("PING"), "PONG");
  using subscribers = await crowdOf(served, 10);
  for (const [index, socket] of subscribers.sockets.entries()) {
    socket.resume();
    for (let i = 0; i < 200; i++) socket.write(encodeCommand(["SUBSCRIBE", ...channels(`${index}-${i}`)]));
  }
  using trackers = await crowdOf(served, 200);
  for (const socket of trackers.sockets) {
    socket.resume();
    socket.write(encodeCommand(["HELLO", 3]));
    socket.write(encodeCommand(["CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "x".repeat(0.9 * MEBIBYTE)]));
  }
  const areCut = async (): Promise<boolean> => {
    assert.equal(await modest.ask("PING"), "PONG");
    return (await served.proxy.stats()).cut >= 60;
  };
  await until("those that are too many are cut", areCut, { withinMs: 60_000 });
  const peak = memoryOf(served.proxy.pid)?.most ?? 0;
  assert.ok(peak < ROOM_MIB, `${peak} MiB`);
});

/** Long and short ones, of about 200 KiB together. */
function channels(of: string): readonly string[] {
  return Array.from({ length: 200 }, (_, i) => `${of}-${i}-${"x".repeat(i % 2 === 0 ? 0 : 2_048)}`);
}
