import assert from "node:assert/strict";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { Push } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());

test("a client that tracks its keys learns of changes, and that none is valid when the primary changes", async (served) => {
  const [client, writer] = [await modern(served), await served.client()];
  assert.equal(await client.ask("CLIENT", "TRACKING", "ON"), "OK");
  await writer.ask("SET", "k", "1");
  assert.equal(await client.ask("GET", "k"), "1");
  await writer.ask("SET", "k", "2");
  assert.deepEqual(await push(client), ["invalidate", ["k"]]);
  assert.equal(await client.ask("GET", "k"), "2");
  await served.move();
  assert.deepEqual(await push(client), ["invalidate", null]);
  assert.equal(await client.ask("GET", "k"), "2");
  await writer.ask("SET", "k", "3");
  assert.deepEqual(await push(client), ["invalidate", ["k"]]);
  assert.equal(await client.ask("CLIENT", "TRACKING", "OFF"), "OK");
  assert.equal(await client.ask("GET", "k"), "3");
});

test("prefixes and OPTIN are the same at the next primary", async (served) => {
  const [client, chooser, writer] = [await modern(served), await modern(served), await served.client()];
  assert.equal(await client.ask("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "user:"), "OK");
  assert.equal(await chooser.ask("CLIENT", "TRACKING", "ON", "OPTIN"), "OK");
  assert.equal(await chooser.ask("CLIENT", "CACHING", "YES"), "OK");
  await served.move();
  for (const one of [client, chooser]) assert.deepEqual(await push(one), ["invalidate", null]);
  await chooser.ask("GET", "user:1");
  await chooser.ask("GET", "other");
  await writer.ask("SET", "other", "x");
  await writer.ask("SET", "user:1", "x");
  for (const one of [client, chooser]) assert.deepEqual(await push(one), ["invalidate", ["user:1"]]);
});

test("prefixes of several requests hold together at the next primary", async (served) => {
  const client = await modern(served);
  for (const options of [["PREFIX", "a:", "PREFIX", "b:"], ["PREFIX", "c:"], ["NOLOOP"]])
    assert.equal(await client.ask("CLIENT", "TRACKING", "ON", "BCAST", ...options), "OK");
  const before = await client.ask("CLIENT", "TRACKINGINFO");
  await served.move();
  assert.deepEqual(await push(client), ["invalidate", null]);
  assert.deepEqual(await client.ask("CLIENT", "TRACKINGINFO"), before);
  assert.match(JSON.stringify([...(before instanceof Map ? before : [])]), /"bcast","noloop".*"","a:","b:","c:"/);
  client.close();
});

test("what CLIENT CACHING has said survives another CLIENT and a move", async (served) => {
  const [client, writer] = [await modern(served), await served.client()];
  await client.ask("CLIENT", "TRACKING", "ON", "OPTIN");
  await client.ask("CLIENT", "CACHING", "YES");
  await client.ask("CLIENT", "TRACKINGINFO");
  await served.move();
  assert.deepEqual(await push(client), ["invalidate", null]);
  await client.ask("GET", "cached");
  await writer.ask("SET", "cached", "x");
  assert.deepEqual(await push(client), ["invalidate", ["cached"]]);
  for (const one of [client, writer]) one.close();
});

async function modern(served: Served): Promise<RawClient> {
  const client = await served.client();
  await client.ask("HELLO", 3);
  return client;
}

async function push(client: RawClient): Promise<unknown> {
  const frame = await client.read();
  assert.ok(frame instanceof Push, String(plain(frame)));
  return frame.values;
}
