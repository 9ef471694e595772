import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startEngine, type TestEngine } from "../../../test/kit/engines/engine.ts";
import { startLinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { restartFromDisk, startSiteEngine } from "../../../test/kit/site-chaos/kept-engine.ts";
import { until } from "#kit/testing/until";
import { linkCanFollow } from "../../mechanisms/site/saved/link-place.ts";
import { LINK_DATABASE, LINK_KEYS } from "../../mechanisms/site/saved/marks.ts";
import { FIRST_PLACE } from "../../mechanisms/site/saved/place.ts";
import { parseInfo } from "../../ports/resp/info.ts";
import { textOf } from "../../ports/resp/reply.ts";

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

await test("a place in the stream that a primary had before it started again from its disk is in no other one", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "successor-"));
  await using primary = await startSiteEngine("redis-8.0.2", folder.path);
  const info = parseInfo(textOf(await primary.call("INFO", "replication")));
  // an engine that was there for long has written more than is in its file
  const position = { replicationId: info.get("master_replid"), offset: 1_000_000 };
  const rest = { database: 15, captured: 0, announced: true, announcedKnown: true, transferred: false, origin: 1 };
  const client = await primary.connect();
  await client.call("SELECT", LINK_DATABASE);
  await client.call("RPUSH", LINK_KEYS.log, JSON.stringify({ ...position, ...FIRST_PLACE, ...rest }));
  client.close();
  await using again = await restartFromDisk(primary);
  await using replica = await startEngine({ engine: again.name });
  await replica.follow(again);
  assert.equal(await canFollow(again, replica, 100), false);
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
