import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine, type TestEngine } from "../../../test/kit/engines/engine.ts";
import { startLinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { until } from "../../../test/kit/time/until.ts";
import { linkCanFollow } from "../../mechanisms/site/link-place.ts";

const PATIENCE = { withinMs: 60_000 };

await test("the link of a site where nothing is written says how far it is, so that it can go on at a replica that has just got all data", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [primary] = world.engines;
  assert.ok(primary !== undefined);
  await primary.call("INCR", "count");
  await using replica = await startEngine({ engine: primary.name });
  await replica.follow(primary);
  assert.equal(await canFollow(primary, replica, PATIENCE.withinMs), true);
});

await test("a link that does not run could not go on there", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [primary] = world.engines;
  assert.ok(primary !== undefined);
  await world.sites[0]?.link.kill();
  await primary.call("INCR", "count");
  await using replica = await startEngine({ engine: primary.name });
  await replica.follow(primary);
  assert.equal(await canFollow(primary, replica, 100), false);
});

await test("an engine that has never had a link takes over at any time", async () => {
  await using primary = await startEngine();
  await primary.call("INCR", "count");
  await using replica = await startEngine();
  await replica.follow(primary);
  assert.equal(await canFollow(primary, replica, 0), true);
});

async function canFollow(primary: TestEngine, replica: TestEngine, withinMs: number): Promise<boolean> {
  const [at, next] = await Promise.all([primary.connect(), replica.connect()]);
  try {
    return await linkCanFollow(at, next, withinMs);
  } finally {
    for (const client of [at, next]) client.close();
  }
}
