import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { evenSlots } from "../../../core/slots/shard-slots.ts";
import { Push } from "../../../ports/resp/reply.ts";

test("what follows a subscription waits for it, also where the client listens again at other shards meanwhile", async () => {
  await using sharded = await Sharded.start(2);
  const next = await startAll(...Array.from({ length: 3 }, () => startEngine()));
  const [busy] = sharded.engines;
  assert.ok(busy !== undefined);
  const client = await sharded.client();
  await client.ask("HELLO", 3);
  client.send("SUBSCRIBE", "one");
  assert.deepEqual(await client.read(), new Push(["subscribe", "one", 1]));
  {
    // the subscription is at the former shards when others serve
    using former = await suspend(busy);
    client.send("SUBSCRIBE", "two");
    client.send("CLIENT", "GETNAME");
    await release(sharded, 1, next);
    assert.deepEqual(await client.readMany(2), [new Push(["subscribe", "two", 2]), null]);
    former.resume();
  }
  client.close();
  await Promise.all(next.map((engine) => engine.stop()));
});

async function release({ proxy }: Sharded, tableEpoch: number, engines: readonly TestEngine[]): Promise<void> {
  const slots = evenSlots(engines.length);
  const shards = engines.map((engine, at) => ({
    id: 10 * tableEpoch + at,
    epoch: 1,
    primary: addressOf(engine),
    slots: slots[at] ?? [],
  }));
  await done(proxy.send({ op: "release-table", bdb: 1, tableEpoch, shards }));
}
