import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { ScriptedEngine } from "../../../../test/kit/engines/scripted-engine.ts";
import { openPermits } from "../../../../test/kit/time/lease.ts";
import { DEFAULT_SETTINGS } from "./connection-settings.ts";
import { dialEngine } from "./engine-connection.ts";
import { PinPool } from "./pin-pool.ts";

test("connections that are made before a change of primary, for clients that leave then, are ended after some minutes", async () => {
  await using engine = await ScriptedEngine.start();
  const clock = new FakeClock();
  const address = { host: engine.host, port: engine.port };
  const dial = () =>
    dialEngine({ address, logins: [], ...DEFAULT_SETTINGS, timeoutMs: 10_000, name: "pins", mustLead: false });
  const pool = new PinPool({ clock, permits: openPermits(), isRetired: () => false, dial });
  // one call ends after half a second, however many there are
  while (pool.spare < 400) await pool.dialAhead(Array.from({ length: 100 }, () => DEFAULT_SETTINGS));
  const used = pool.take(DEFAULT_SETTINGS);
  await clock.advance(60_000);
  assert.ok(pool.spare >= 399, "the change of primary may not be over");
  await clock.advance(60_000);
  assert.equal(pool.spare, 256);
  assert.equal(used?.closed, false);
  used?.destroy();
  pool.destroyIdle();
});
