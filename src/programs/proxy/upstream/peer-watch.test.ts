import assert from "node:assert/strict";
import { test } from "node:test";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { inOwnNetwork, vanish } from "../../../../test/kit/network/own-network.ts";
import { until } from "#kit/testing/until";
import { hasVanished } from "./peer-watch.ts";
import { assertWithin } from "#kit/testing/assert-within";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";

const ENGINE = { host: "10.0.0.1", port: 20000 };

const rules: readonly (readonly [rule: string, remote: string, asked: number, want: boolean])[] = [
  ["an engine that owes no acknowledgement for long lives", "0100000A:4E20", 1, false],
  ["one that was asked for it again and again has vanished", "0100000A:4E20", 2, true],
  ["another one says nothing about it", "0100000A:4E21", 9, false],
];
for (const [rule, remote, asked, want] of rules)
  test(`engines that vanish: ${rule}`, () => {
    assert.equal(hasVanished(ENGINE, [{ ends: `0200000A:0001 ${remote}`, asked }]), want);
  });

if (inOwnNetwork(import.meta.filename)) {
  test("an engine whose machine vanishes is left within seconds: reads go to the next primary, a write of unknown outcome is cut", async () => {
    await using served = await Served.start({ holdMs: 20_000 });
    const [reader, writer, blocked] = await served.clients(3);
    assert.equal(await reader?.ask("SET", "k", 1), "OK");
    blocked?.send("BLPOP", "queue", 0);
    await untilBlocked(served.primary, 1);
    await served.replica.call("REPLICAOF", "NO", "ONE");
    vanish(served.primary.host);
    const startedAt = performance.now();
    reader?.send("GET", "k");
    writer?.send("INCR", "k");
    assert.equal(await writer?.read(), undefined);
    assertWithin(8_000, performance.now() - startedAt, "the write of unknown outcome is cut");
    assert.equal(reader?.unread.length, 0);
    [served.primary, served.replica] = [served.replica, served.primary];
    const released = await served.release();
    assert.ok(released.ok);
    assert.equal(await reader?.read(), "1");
    await served.primary.call("RPUSH", "queue", "x");
    assert.equal(await blocked?.read(), undefined, "it may have been given an element that never arrived");
  });

  test("an engine that is stopped, or runs a script, has not vanished", async () => {
    await using served = await Served.start();
    const [first, second] = await served.clients(2);
    first?.send("EVAL", "local t = redis.call('TIME')[1] while redis.call('TIME')[1] - t < 5 do end return 1", 0);
    assert.equal(await first?.read(), 1);
    using stopped = await suspend(served.primary);
    const stoppedAt = performance.now();
    second?.send("INCR", "k");
    await until("it has been so for longer than a vanished one would", () => performance.now() - stoppedAt > 5_000);
    stopped.resume();
    assert.equal(await second?.read(), 1);
    assert.equal((await served.proxy.stats()).cut, 0);
  });
}
