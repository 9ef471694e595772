import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { demote, promote, switchOver } from "../../../../test/kit/engines/switchover.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";

/** Keys of the first and the second of three shards. */
const [FIRST, SECOND] = ["{3}", "{2}"];

test("a client that waits at one shard is woken there, and what it has sent behind that is answered after it, also by other shards", async () => {
  await using sharded = await Sharded.start(3);
  const [first, second] = sharded.engines;
  assert.ok(first !== undefined && second !== undefined);
  const [waiting, other] = await Promise.all([sharded.client(), sharded.client()]);
  for (const request of [
    ["SET", FIRST, "before"],
    ["BLPOP", SECOND, "0"],
    ["SET", FIRST, "after"],
    ["BLPOP", FIRST + "list", "0"],
    ["PING"],
  ])
    waiting.send(...request);
  assert.equal(await waiting.read(), "OK");
  await untilBlocked(second, 1);
  assert.equal(await other.ask("GET", FIRST), "before");
  assert.equal(await other.ask("RPUSH", SECOND, "x"), 1);
  assert.deepEqual(await waiting.readMany(2), [[SECOND, "x"], "OK"]);
  await untilBlocked(first, 1);
  assert.equal(await other.ask("GET", FIRST), "after");
  assert.equal(await other.ask("RPUSH", FIRST + "list", "y"), 1);
  assert.deepEqual(await waiting.readMany(2), [[FIRST + "list", "y"], "PONG"]);
  for (const client of [waiting, other]) client.close();
});

test("a client that waits at one shard goes on at its next primary, and does not hold up a move of another shard", async () => {
  await using sharded = await Sharded.start(3);
  const [first, second] = sharded.engines;
  assert.ok(first !== undefined && second !== undefined);
  const replicas = await Promise.all([startEngine(), startEngine()]);
  await using stack = new AsyncDisposableStack();
  for (const replica of replicas) stack.use(replica);
  await replicas[0].follow(first);
  await replicas[1].follow(second);
  const [waiting, other] = await Promise.all([sharded.client(), sharded.client()]);
  waiting.send("BLPOP", SECOND, "0");
  await untilBlocked(second, 1);
  await switchOver([sharded.proxy], 2, first, replicas[0], 1);
  await untilBlocked(second, 1);
  await switchOver([sharded.proxy], 2, second, replicas[1], 2);
  await untilBlocked(replicas[1], 1);
  assert.equal(await other.ask("RPUSH", SECOND, "x"), 1);
  assert.deepEqual(await waiting.read(), [SECOND, "x"]);
  assert.equal(await waiting.ask("SET", FIRST, "y"), "OK");
  assert.equal((await sharded.proxy.stats()).cut, 0);
  for (const client of [waiting, other]) client.close();
});

test("what blocks at a shard that is held waits for its next primary, and clients of other shards wait for nothing", async () => {
  await using sharded = await Sharded.start(3);
  const [, second] = sharded.engines;
  assert.ok(second !== undefined);
  await using replica = await startEngine();
  await replica.follow(second);
  const [waiting, other] = await Promise.all([sharded.client(), sharded.client()]);
  const moved = { bdb: 1, shard: 2, epoch: 2 };
  await done(sharded.proxy.send({ op: "prepare", ...moved, target: addressOf(replica) }));
  await done(sharded.proxy.send({ op: "hold", ...moved, drainMs: 10_000, holdMs: 60_000 }));
  waiting.send("XREAD", "BLOCK", "0", "STREAMS", SECOND, "$");
  assert.equal(await other.ask("BLPOP", FIRST, "0.05"), null);
  await untilBlocked(second, 0);
  await promote(second, replica);
  await done(sharded.proxy.send({ op: "release", ...moved, target: addressOf(replica) }));
  await demote(second, replica);
  await untilBlocked(replica, 1);
  assert.equal(await other.ask("XADD", SECOND, "1-1", "f", "v"), "1-1");
  assert.deepEqual(await waiting.read(), [[SECOND, [["1-1", ["f", "v"]]]]]);
  assert.equal((await sharded.proxy.stats()).cut, 0);
  for (const client of [waiting, other]) client.close();
});

type Requests = readonly (readonly string[])[];

const AT_THE_END: Readonly<Record<string, Requests>> = {
  "what blocks": [["BLPOP", SECOND, "0"]],
  "what blocks, behind a request to another shard": [
    ["SET", FIRST, "1"],
    ["BLPOP", SECOND, "0"],
  ],
  "what blocks, and a request to another shard": [
    ["BLPOP", SECOND, "0"],
    ["SET", FIRST, "1"],
  ],
  "what blocks, and a request to the same shard": [
    ["BLPOP", SECOND, "0"],
    ["SET", SECOND + "s", "1"],
  ],
  "what blocks twice at one shard": [
    ["BLPOP", SECOND, "0"],
    ["BLPOP", SECOND, "0"],
  ],
  "what blocks at two shards": [
    ["BLPOP", SECOND, "0"],
    ["BLPOP", FIRST + "l", "0"],
    ["SET", FIRST, "1"],
  ],
};

test("a client that sends what blocks, and FIN at once, gets from three shards what one engine gives it", async () => {
  await using sharded = await Sharded.start(3);
  await using engine = await startEngine();
  const [second = engine] = sharded.engines.slice(1);
  for (const [what, requests] of Object.entries(AT_THE_END))
    for (const there of [0, 1]) {
      const found = [];
      for (const [place, connect] of [
        [engine, () => RawClient.connect(engine)],
        [second, () => sharded.client()],
      ] as const)
        found.push(await outcomeOf(place, connect, requests, there));
      assert.deepEqual(found[1], found[0], `${what}, with ${there} elements`);
    }
});

/** What a client gets until its connection ends, and what another one finds then; `engine` has the list. */
async function outcomeOf(engine: TestEngine, connect: () => Promise<RawClient>, requests: Requests, there: number) {
  const [client, other] = [await connect(), await connect()];
  await other.ask("FLUSHALL");
  if (there > 0) await other.ask("RPUSH", SECOND, "a");
  client.write(Buffer.concat(requests.map((request) => encodeCommand(request))));
  client.end();
  const replies = [];
  for (let reply = await client.read(); reply !== undefined; reply = await client.read()) replies.push(plain(reply));
  await untilBlocked(engine, 0);
  await other.ask("RPUSH", SECOND, "later");
  const left = [];
  for (const request of [
    ["LRANGE", SECOND, "0", "-1"],
    ["GET", FIRST],
    ["GET", SECOND + "s"],
  ])
    left.push(await other.ask(...request));
  for (const one of [client, other]) one.close();
  return { replies, left };
}
