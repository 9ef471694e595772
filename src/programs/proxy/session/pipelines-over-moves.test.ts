import assert from "node:assert/strict";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Push } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());

test("behind a request that must wait for the next primary, one with several replies is sent there once", async (served) => {
  const client = await served.client();
  await client.ask("HELLO", 3);
  client.send("SUBSCRIBE", "a", "b");
  await client.readMany(2);
  await served.moveEngines();
  client.send("SET", "k", "1");
  client.send("UNSUBSCRIBE");
  client.send("SUBSCRIBE", "x", "y");
  client.send("GET", "k");
  await done(served.release());
  const [first, ...frames] = await client.readMany(6);
  assert.equal(first, "OK");
  assert.deepEqual(frames.slice(0, 2).map(channelOf).toSorted(), ["a", "b"]);
  assert.deepEqual(frames.slice(2), [new Push(["subscribe", "x", 1]), new Push(["subscribe", "y", 2]), "1"]);
  assert.equal(await client.ask("PING"), "PONG");
  // a request that is not answered would hold up the next move
  await served.move();
  assert.equal(await client.ask("GET", "k"), "1");
  client.close();
});

test("a WATCH that is over when the primary has moved fails no later transaction of the same pipeline", async (served) => {
  const client = await served.client();
  const send = (pipeline: string): void => {
    for (const request of pipeline.split(" | ")) client.send(...request.split(" "));
  };
  await client.ask("DEL", "n");
  await client.ask("WATCH", "w");
  await served.move();
  send("UNWATCH | MULTI | INCR n | EXEC");
  assert.deepEqual(await client.readMany(4), ["OK", "OK", "QUEUED", [1]]);
  for (const [end, reply] of [
    ["EXEC", null],
    ["DISCARD", "OK"],
  ] as const) {
    await client.ask("WATCH", "w");
    await served.move();
    send(`MULTI | INCR n | ${end} | MULTI | GET n | EXEC`);
    assert.deepEqual(await client.readMany(6), ["OK", "QUEUED", reply, "OK", "QUEUED", ["1"]]);
  }
  client.close();
});

function channelOf(frame: unknown): unknown {
  return frame instanceof Push ? frame.values[1] : frame;
}
