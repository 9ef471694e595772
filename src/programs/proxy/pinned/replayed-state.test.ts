import assert from "node:assert/strict";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { until } from "#kit/testing/until";
import { Push } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());
const MESSAGE = new Push(["message", "ch", "hello"]);

test("a transaction of a subscriber over which the primary moves has the replies of its own requests alone", async (served) => {
  const [subscriber, other] = await subscribed(served);
  await subscriber.ask("MULTI");
  await subscriber.ask("SET", "k", "v");
  await served.move();
  await publish(other);
  assert.deepEqual(await subscriber.read(), MESSAGE);
  await subscriber.ask("INCR", "n");
  assert.deepEqual(await subscriber.ask("EXEC"), ["OK", 1]);
  await publish(other);
  assert.deepEqual(await subscriber.read(), MESSAGE);
  for (const client of [subscriber, other]) client.close();
});

test("a subscriber that discards a transaction behind a move is still a subscriber", async (served) => {
  const [subscriber, other] = await subscribed(served);
  await subscriber.ask("MULTI");
  await served.move();
  assert.equal(await subscriber.ask("DISCARD"), "OK");
  await publish(other);
  assert.deepEqual(await subscriber.read(), MESSAGE);
  for (const client of [subscriber, other]) client.close();
});

test("a move that is given up puts nothing into the transaction of a subscriber", async (served) => {
  const [subscriber, other] = await subscribed(served);
  await subscriber.ask("MULTI");
  await subscriber.ask("SET", "k", "v");
  await served.prepare();
  await served.hold();
  await served.abort();
  assert.deepEqual(await subscriber.ask("EXEC"), ["OK"]);
  for (const client of [subscriber, other]) client.close();
});

test("CLIENT CACHING holds for a whole transaction over which the primary moves", async (served) => {
  const [reader, writer] = [await served.client(), await served.client()];
  await reader.ask("HELLO", 3);
  await reader.ask("SUBSCRIBE", "ch");
  for (const request of [
    ["TRACKING", "ON", "OPTIN"],
    ["CACHING", "YES"],
  ])
    await reader.ask("CLIENT", ...request);
  await reader.ask("MULTI");
  await reader.ask("GET", "cached");
  await served.move();
  assert.deepEqual(await reader.read(), new Push(["invalidate", null]));
  assert.deepEqual(await reader.ask("EXEC"), [null]);
  await writer.ask("SET", "cached", "1");
  assert.deepEqual(await reader.read(), new Push(["invalidate", ["cached"]]));
  for (const client of [reader, writer]) client.close();
});

test("CLIENT CACHING is for the XREAD behind it, not for what the proxy asks before", async (served) => {
  const [reader, writer] = [await served.client(), await served.client()];
  await writer.ask("XADD", "s", "1-1", "a", "1");
  await reader.ask("HELLO", 3);
  for (const request of [
    ["TRACKING", "ON", "OPTIN"],
    ["CACHING", "YES"],
  ])
    await reader.ask("CLIENT", ...request);
  assert.equal(await reader.ask("XREAD", "BLOCK", 1, "STREAMS", "s", "$"), null);
  await writer.ask("DEL", "s");
  assert.deepEqual(await reader.read(), new Push(["invalidate", ["s"]]));
  for (const client of [reader, writer]) client.close();
});

/** A subscriber of RESP3 to the channel, and another client. */
async function subscribed(served: Served): Promise<readonly [RawClient, RawClient]> {
  const [subscriber, other] = [await served.client(), await served.client()];
  await subscriber.ask("HELLO", 3);
  await subscriber.ask("SUBSCRIBE", "ch");
  await other.ask("DEL", "n");
  return [subscriber, other];
}

async function publish(other: RawClient): Promise<void> {
  await until("it listens", async () => String(await other.ask("PUBSUB", "NUMSUB", "ch")) === "ch,1");
  assert.equal(await other.ask("PUBLISH", "ch", "hello"), 1);
}
