import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { evenSlots } from "../../../core/slots/shard-slots.ts";
import { until } from "#kit/testing/until";

/** Keys of the first and of the second of two shards. */
const [FIRST, SECOND] = ["{3}", "{4}"];

for (const count of [1, 3])
  test(`what one of two shards has executed is not repeated, and what the other has refused goes to ${count}, each reply in its place`, async () => {
    await using sharded = await Sharded.start(2);
    const next = await startAll(...Array.from({ length: count }, () => startEngine()));
    const [one, two] = sharded.engines;
    assert.ok(one !== undefined && two !== undefined);
    const client = await sharded.client();
    client.send("MSET", FIRST, "1", SECOND, "2", `${FIRST}b`, "1");
    assert.equal(await client.read(), "OK");
    // as a former primary whose proxy has missed the hold
    await two.call("REPLICAOF", "127.0.0.1", 1);
    client.send("GET", FIRST);
    client.send("DEL", FIRST, SECOND);
    client.send("GET", `${FIRST}b`);
    client.send("MSET", FIRST, "again", SECOND, "again");
    client.send("PING");
    client.send("APPEND", SECOND, "!");
    client.send("DBSIZE");
    assert.equal(await client.read(), "1");
    await until("the first shard has executed its parts", async () => (await one.call("GET", FIRST)) === "again");
    await until("the second shard has refused its part", async () =>
      String(await two.call("INFO", "errorstats")).includes("errorstat_READONLY"),
    );
    const slots = evenSlots(count);
    const shards = next.map((engine, at) => ({
      id: 11 + at,
      epoch: 1,
      primary: addressOf(engine),
      ...(count === 1 ? {} : { slots: slots[at] ?? [] }),
    }));
    await done(sharded.proxy.send({ op: "release-table", bdb: 1, tableEpoch: 1, shards }));
    // one key was deleted at the first shard, none at the new ones, which are empty; they have what came behind alone
    assert.deepEqual(await client.readMany(6), [1, "1", "OK", "PONG", "again!".length, 1]);
    assert.equal(await client.ask("GET", FIRST), null);
    assert.equal(await client.ask("GET", SECOND), "again!");
    assert.equal((await sharded.proxy.stats()).cut, 0);
    client.close();
    await Promise.all(next.map((engine) => engine.stop()));
  });
