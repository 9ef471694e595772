import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { until } from "#kit/testing/until";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { Push } from "../../../ports/resp/reply.ts";

test("an XREAD from $ that meets an engine which refuses all for a moment gets the next entry", async () => {
  await using served = await Served.start();
  const [reader, writer] = await served.clients(2);
  assert.ok(reader !== undefined && writer !== undefined);
  await writer.ask("XADD", "s", "1-1", "a", "1");
  await refuseAll(served);
  const engine = await served.primary.connect();
  const before = await connectionsMade(engine);
  reader.send("XREAD", "BLOCK", 0, "STREAMS", "none", "s", "$", "$");
  await until("the proxy has tried again", async () => (await connectionsMade(engine)) > before + 1);
  engine.close();
  await served.primary.call("REPLICAOF", "NO", "ONE");
  await untilBlocked(served.primary, 1);
  await writer.ask("XADD", "s", "2-1", "a", "2");
  assert.deepEqual(await reader.read(), [["s", [["2-1", ["a", "2"]]]]]);
});

test("an XREAD from $ gets an error when there is no primary for too long, and the next one asks anew", async () => {
  await using served = await Served.start({ holdMs: 200 });
  const [reader, writer] = await served.clients(2);
  assert.ok(reader !== undefined && writer !== undefined);
  await writer.ask("XADD", "s", "1-1", "a", "1");
  await refuseAll(served);
  reader.send("XREAD", "BLOCK", 0, "STREAMS", "s", "$");
  await served.primary.stop();
  assert.match(String(plain(await reader.read())), /LOADING/);
  await using next = await startEngine();
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(next) }));
  await until("the next primary serves", async () => (await writer.ask("XADD", "t", "5-1", "a", "1")) === "5-1");
  reader.send("XREAD", "BLOCK", 0, "STREAMS", "t", "$");
  await untilBlocked(next, 1);
  await writer.ask("XADD", "t", "6-1", "a", "1");
  assert.deepEqual(await reader.read(), [["t", [["6-1", ["a", "1"]]]]]);
});

test("a subscriber that ends or cannot be mirrored delays no other one", async () => {
  await using served = await Served.start();
  const [free, blocked, publisher] = await served.clients(3);
  assert.ok(free !== undefined && blocked !== undefined && publisher !== undefined);
  for (const one of [free, blocked]) {
    await one.ask("HELLO", 3);
    await one.ask("SUBSCRIBE", "ch");
  }
  blocked.send("BLPOP", "q", 0);
  await untilBlocked(served.primary, 1);
  await served.move();
  await until("both listen there", async () => String(await publisher.ask("PUBSUB", "NUMSUB", "ch")) === "ch,2");
  await publisher.ask("PUBLISH", "ch", "hello");
  for (const one of [free, blocked]) assert.deepEqual(await one.read(), new Push(["message", "ch", "hello"]));
  await publisher.ask("RPUSH", "q", "x");
  assert.deepEqual(await blocked.read(), ["q", "x"]);
});

/** How many connections the engine has taken so far. */
async function connectionsMade(engine: EngineClient): Promise<number> {
  return Number(/total_connections_received:(\d+)/.exec(String(await engine.call("INFO", "stats")))?.[1]);
}

/** Makes the primary answer -MASTERDOWN to everything but the writes of none. */
async function refuseAll({ primary }: Served): Promise<void> {
  await primary.call("CONFIG", "SET", "replica-serve-stale-data", "no");
  await primary.call("REPLICAOF", "127.0.0.1", 1);
}

test("a subscriber whose engine is lost is ended, since messages may be missing; who has unsubscribed goes on", async () => {
  await using served = await Served.start();
  const [listening, silent] = await served.clients(2);
  assert.ok(listening !== undefined && silent !== undefined);
  for (const one of [listening, silent]) {
    await one.ask("HELLO", 3);
    await one.ask("SUBSCRIBE", "ch");
  }
  await silent.ask("UNSUBSCRIBE", "ch");
  await served.primary.stop();
  assert.equal(await listening.read(), undefined);
  await served.replica.call("REPLICAOF", "NO", "ONE");
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(served.replica) }));
  assert.equal(await silent.ask("SET", "k", "v"), "OK");
});
