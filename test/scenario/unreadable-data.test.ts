import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { RawClient } from "../kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";

/** The engine of 7.4 knows the name `server`, that of 8.0 does not. */
const LIBRARY = "#!lua name=own\nserver.register_function('own', function() return 1 end)";
const PATIENCE = { withinMs: 60_000 };

await using cluster = await startTestCluster();
const body = { name: "functions", memory_size: 50_000_000, redis_version: "7.4", replication: true } as const;
const { uid, port } = await cluster.create(body);

await test("an upgrade to an engine that does not take a library of functions says why it waits, serves meanwhile, and goes on once that is gone", async () => {
  const client = await RawClient.connect({ host: cluster.address(1), port });
  assert.equal(await client.ask("FUNCTION", "LOAD", LIBRARY), "own");
  await client.ask("SET", "kept", "value");
  const read = (): Promise<BdbRecord> => cluster.client.call("bdb", { params: { uid } });
  await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
  const saysWhy = async (): Promise<boolean> => {
    const { waiting_for: why } = await read();
    return /has ended [3-9] times before it served: .*nonexistent global variable 'server'/.test(why);
  };
  await until("it says why it waits", saysWhy, PATIENCE);
  assert.equal(await client.ask("FCALL", "own", 0), 1);
  await client.ask("FUNCTION", "DELETE", "own");
  await until(
    "it is upgraded",
    async () => (await read()).redis_version === "8.0" && (await read()).waiting_for === "",
    {
      withinMs: 120_000,
    },
  );
  assert.equal(await client.ask("GET", "kept"), "value");
  client.close();
});
