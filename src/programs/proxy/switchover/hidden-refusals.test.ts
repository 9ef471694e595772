import assert from "node:assert/strict";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { demote, promote } from "../../../../test/kit/engines/switchover.ts";
import { until } from "#kit/testing/until";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";

const test = sharing(() => Served.start());

/** It handles the refusal of its write itself. */
const HIDING = ["EVAL", "redis.pcall('SET', KEYS[1], ARGV[1]) return 'written'", "1", "hidden", "v"] as const;

test("a script that hides the refusal of its write is not acknowledged when the primary moved after the end of a hold", async (served) => {
  const client = await served.client();
  await endHold(served);
  await sendWhilePaused(served, client, HIDING);
  await served.moveEngines();
  assert.equal(await client.read(), undefined, "the connection ends: the outcome is unknown");
  await done(served.release());
  assert.equal(await (await served.client()).ask("EXISTS", "hidden"), 0);
});

test("the same inside a transaction", async (served) => {
  const client = await served.client();
  assert.equal(await client.ask("MULTI"), "OK");
  assert.equal(await client.ask(...HIDING), "QUEUED");
  await endHold(served);
  await sendWhilePaused(served, client, ["EXEC"]);
  await served.moveEngines();
  assert.equal(await client.read(), undefined, "the connection ends: the outcome is unknown");
  await done(served.release());
});

test("the same when the release comes before the old primary is demoted", async (served) => {
  const client = await served.client();
  await endHold(served);
  await sendWhilePaused(served, client, HIDING);
  const { primary, replica } = served;
  await promote(primary, replica);
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: ++served.epoch, target: addressOf(replica) }));
  await demote(primary, replica);
  [served.primary, served.replica] = [replica, primary];
  assert.equal(await client.read(), undefined, "the connection ends: the outcome is unknown");
  assert.equal(await (await served.client()).ask("EXISTS", "hidden"), 0);
});

test("after the end of a hold a script is acknowledged by an engine that is still the primary", async (served) => {
  const client = await served.client();
  await endHold(served);
  await sendWhilePaused(served, client, HIDING);
  await served.primary.call("CLIENT", "UNPAUSE");
  assert.equal(String(await client.read()), "written");
  assert.equal(await client.ask("DEL", "hidden"), 1);
  await done(served.abort());
});

/** A hold that ends at its own deadline. */
async function endHold(served: Served): Promise<void> {
  const { holdsExpired } = await served.proxy.stats();
  await done(served.hold({ holdMs: 20 }));
  await until("the hold is over", async () => (await served.proxy.stats()).holdsExpired > holdsExpired);
}

/** Sends a request that the engine keeps, because its writes are paused. */
async function sendWhilePaused(served: Served, client: RawClient, request: readonly string[]): Promise<void> {
  await served.primary.call("CLIENT", "PAUSE", 30_000, "WRITE");
  client.send(...request);
  await until("the engine keeps it", async () =>
    / flags=\S*b\S* /.test(String(await served.primary.call("CLIENT", "LIST"))),
  );
}
