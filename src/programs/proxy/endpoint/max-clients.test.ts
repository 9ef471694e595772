import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { done, withShard } from "../../../../test/kit/engines/proxy.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";

const REFUSED = "-ERR max number of clients reached";

test("maxClients: a connection above the limit gets an error and is closed, and a new limit cuts no client", async () => {
  await using served = await Served.start(limit(2));
  const [first, second] = await served.clients(2);
  await serves(first, second);
  await refuses(served);

  await configure(served, limit(1));
  await serves(first, second);
  second?.close();
  await until("it is gone", async () => (await served.proxy.stats()).clients === 1);
  await refuses(served);

  await configure(served, limit(2));
  const third = await served.client();
  await serves(first, third);
  await refuses(served);
  await served.move();
  await refuses(served);

  await configure(served, limit(0));
  await serves(first, third, ...(await served.clients(5)));
});

test("maxClients: a refused connection leaves nothing open, also one that sends and does not close", async () => {
  await using served = await Served.start(limit(1));
  const [only] = await served.clients(1);
  await serves(only);
  const open = async (): Promise<number> => (await readdir(`/proc/${served.proxy.pid}/fd`)).length;
  const before = await open();
  const refused = await served.clients(20);
  for (const client of refused) assert.equal(await client.ask("PING"), REFUSED);
  // the heartbeat of the engine may have opened its connection meanwhile
  await until("they are closed", async () => (await open()) <= before + 1);
  await serves(only);
});

function limit(maxClients: number): Pick<EndpointConfig, "settings"> {
  return { settings: endpointSettings(settingsWith({ maxClients })) };
}

async function configure(served: Served, change: Partial<EndpointConfig>): Promise<void> {
  const { host, port } = served.primary;
  const endpoint = { ...withShard(served.endpoint, { epoch: served.epoch, primary: { host, port } }), ...change };
  await done(served.proxy.send({ op: "configure", endpoints: [endpoint] }));
}

async function serves(...clients: readonly (RawClient | undefined)[]): Promise<void> {
  for (const client of clients) assert.equal(await client?.ask("PING"), "PONG");
}

async function refuses(served: Served): Promise<void> {
  const client = await served.client();
  assert.equal(await client.ask("PING"), REFUSED);
  assert.equal(await client.read(), undefined);
  client.close();
}
