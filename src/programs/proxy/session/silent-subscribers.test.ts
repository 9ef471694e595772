import assert from "node:assert/strict";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { until } from "#kit/testing/until";

const test = sharing(() => Served.start());

for (const protocol of [2, 3])
  for (const mode of ["OFF", "SKIP"])
    test(`CLIENT REPLY ${mode} silences replies and no messages, as at an engine (RESP${protocol})`, async (served) => {
      const atEngine = await framesOf(served.primary, protocol, mode);
      assert.deepEqual(await framesOf(served.endpoint.listen, protocol, mode), atEngine);
      assert.ok(atEngine.length > 3, String(atEngine.length));
    });

test("a tracking client that wants no replies gets what makes its keys invalid, as at an engine", async (served) => {
  const frames = async (place: Address): Promise<unknown> => {
    const [client, other] = [await RawClient.connect(place), await RawClient.connect(place)];
    await client.ask("HELLO", 3);
    await client.ask("CLIENT", "TRACKING", "ON", "BCAST");
    client.send("CLIENT", "REPLY", "OFF");
    client.send("GET", "tracked");
    await other.ask("SET", "tracked", "1");
    const frame = await client.read();
    for (const one of [client, other]) one.close();
    return frame;
  };
  assert.deepEqual(await frames(served.endpoint.listen), await frames(served.primary));
});

test("a subscriber of RESP2 gets the engine's error for what has a reply of its own", async (served) => {
  const requests = [
    ["CLIENT", "REPLY", "OFF"],
    ["CLIENT", "ID"],
    ["CONFIG", "GET", "port"],
    ["SELECT", "1"],
    ["HELLO", "3"],
    ["AUTH", "x"],
    ["SCAN", "0"],
    ["EVAL", "return 1", "0"],
    ["GET", "x"],
  ];
  const [client, atEngine] = [await served.client(), await RawClient.connect(served.primary)];
  for (const one of [client, atEngine]) await one.ask("SUBSCRIBE", "ch");
  for (const request of requests) assert.equal(await client.ask(...request), await atEngine.ask(...request));
  for (const one of [client, atEngine]) one.close();
});

/** Everything that such a subscriber is sent there. */
async function framesOf(place: Address, protocol: number, mode: string): Promise<readonly unknown[]> {
  const [client, publisher] = [await RawClient.connect(place), await RawClient.connect(place)];
  await client.ask("HELLO", protocol);
  client.send("CLIENT", "REPLY", mode);
  client.send("SUBSCRIBE", "silent");
  await until("it listens", async () => (await publisher.ask("PUBLISH", "silent", "hello")) === 1);
  client.send("SUBSCRIBE");
  client.send("PSUBSCRIBE", "other*", "third*");
  client.send("UNSUBSCRIBE", "silent");
  client.send("PUNSUBSCRIBE");
  client.send("GET", "x");
  client.send("CLIENT", "REPLY", "ON");
  const frames: unknown[] = [];
  for (let frame = await client.read(); frame !== "OK" && frame !== undefined; frame = await client.read())
    frames.push(plain(frame));
  for (const one of [client, publisher]) one.close();
  return frames;
}
