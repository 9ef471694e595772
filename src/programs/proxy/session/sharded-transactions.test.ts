import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { demote, promote, switchOver } from "../../../../test/kit/engines/switchover.ts";
import { repliesTo } from "../../../../test/kit/sharded/replies-to.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import type { Reply } from "../../../ports/resp/reply.ts";

const CROSSSLOT = "-CROSSSLOT Keys in request don't hash to the same slot";
const EXECABORT = "-EXECABORT Transaction discarded because of previous errors.";
const notYet = (what: string): string => `-ERR store: ${what} is not available at a database of several shards`;
/** Keys of the first, the second and the third of three shards. */
const [FIRST, SECOND, THIRD] = ["{3}", "{2}", "{4}"];

/** What three shards answer as one engine does. */
const SAME: Readonly<Record<string, string>> = {
  "an empty transaction": "MULTI; EXEC",
  "a transaction without keys": "MULTI; PING; ECHO a; EXEC",
  "a key behind requests without keys": "MULTI; PING; SET {4}a 1; GET {4}b; EXEC; GET {4}a",
  "a key of each shard in turn":
    "MULTI; INCR {4}; EXEC; MULTI; INCR {2}; EXEC; MULTI; INCR {3}; EXEC; MGET {4} {2} {3}",
  "several keys of one slot": "MULTI; MSET {4}x 1 {4}y 2; MGET {4}x {4}y; DEL {4}x; EXISTS {4}x {4}y; EXEC",
  "what would block": "MULTI; BLPOP {2}none 0; XREAD BLOCK 0 STREAMS {2}st $; EXEC",
  "requests around it": "SET {3} a; MULTI; SET {4} b; EXEC; GET {3}; GET {4}",
  "a transaction that is given up": "MULTI; SET {4} never; DISCARD; GET {4}",
  "one that is given up without a key": "MULTI; PING; DISCARD; GET {2}",
  "an error while it is queued": "MULTI; SET {2}; EXEC; GET {2}",
  "an error while it is executed": "SET {4}text x; MULTI; INCR {4}text; SET {4} after; EXEC; GET {4}",
  "an error behind which another shard is needed": "MULTI; GET; GET {2}; EXEC; GET {2}",
  "a transaction and RESET": "MULTI; SET {4} never; RESET; GET {4}; MULTI; GET {2}; EXEC",
  "MULTI and WATCH inside": "MULTI; MULTI; WATCH {3}; SET {4} a; EXEC",
  "too many words": "MULTI x; WATCH; UNWATCH x; EXEC; DISCARD",
  "ends without a beginning": "EXEC; DISCARD; UNWATCH",
  "answers of the proxy": "MULTI; CLIENT SETNAME me; CLIENT GETNAME; SET {2} 1; ACL WHOAMI; EXEC; CLIENT GETNAME",
  "another database": "MULTI; SELECT 1; SET {2} one; EXEC; GET {2}; SET {4} one; SELECT 0; GET {4}",
  "a watch": "WATCH {2}a {2}b; GET {2}a; GET {4}; MULTI; SET {2}a 1; EXEC; GET {2}a",
  "a watch of what the client then writes": "WATCH {2}a; SET {2}a 5; SET {4} 1; MULTI; GET {2}a; EXEC; GET {2}a",
  "a watch that ends": "WATCH {2}a; SET {2}a 6; UNWATCH; MULTI; GET {4}; EXEC; WATCH {3}; MULTI; GET {3}; EXEC",
  "a watch in another database":
    "WATCH {2}a; SELECT 1; SET {4} in-1; GET {2}a; SELECT 0; GET {4}; MULTI; GET {2}a; EXEC",
  "a watch, and what blocks": "RPUSH {2}l e; WATCH {2}a; BLPOP {2}l 0; GET {4}; MULTI; GET {2}a; EXEC",
  "a watch, and all shards": "WATCH {2}a; DBSIZE; MGET {4} {2}; DEL {4} {3}; MULTI; GET {2}a; EXEC",
  "a watch and RESET": "WATCH {2}a; SET {2}a 7; RESET; MULTI; GET {4}; EXEC",
};

/** What they refuse. */
const REFUSED: readonly (readonly (readonly [string, Reply])[])[] = [
  [
    ["MULTI", "OK"],
    ["SET {4} 1", "QUEUED"],
    ["SET {2} 2", CROSSSLOT],
    ["SET {4} 3", "QUEUED"],
    ["EXEC", EXECABORT],
    ["MGET {4} {2}", [null, null]],
  ],
  [
    ["MULTI", "OK"],
    ["MSET {4} 1 {2} 2", CROSSSLOT],
    ["EXEC", EXECABORT],
  ],
  [
    ["MULTI", "OK"],
    ["GET {4}", "QUEUED"],
    ["SPUBLISH {4}ch x", "QUEUED"],
    ["PUBLISH {2} x", "QUEUED"],
    ["SPUBLISH {2} x", CROSSSLOT],
    ["EXEC", EXECABORT],
  ],
  [
    ["MULTI", "OK"],
    ["SPUBLISH {2}ch x", "QUEUED"],
    ["GET {2}", "QUEUED"],
    ["GET {4}", CROSSSLOT],
    ["EXEC", EXECABORT],
  ],
  [
    ["WATCH {4} {2}", CROSSSLOT],
    ["WATCH {4}", "OK"],
    ["WATCH {2}", CROSSSLOT],
    ["BLPOP {2} 0", CROSSSLOT],
    ["MULTI", "OK"],
    ["GET {2}", CROSSSLOT],
    ["DISCARD", "OK"],
    ["MULTI", "OK"],
    ["GET {2}", "QUEUED"],
    ["EXEC", [null]],
  ],
  ...["DBSIZE", "KEYS *", "FLUSHALL", "RANDOMKEY", "INFO", "SCAN 0", "HSCAN {4} 0", "WAIT 0 0"].map(refusedInside),
  ...["SCRIPT LOAD x", "SCRIPT FLUSH", "SCRIPT EXISTS x", "JSON.GET {2}", "SORT {4} BY w_*"].map(refusedInside),
];

function refusedInside(request: string): readonly (readonly [string, Reply])[] {
  const words = request.split(" ");
  const name = ["SCRIPT", "CONFIG"].includes(words[0] ?? "") ? words.slice(0, 2).join(" ") : words[0];
  return [
    ["MULTI", "OK"],
    [request, notYet(`${name} inside MULTI`)],
    ["EXEC", EXECABORT],
  ];
}

for (const engine of engineNames()) {
  const test = sharing(() => Sharded.start(3, {}, engine));

  for (const isPipeline of [false, true]) {
    const how = isPipeline ? "in one pipeline" : "one by one";
    test(`transactions at three shards of ${engine}, ${how}, are answered as by one engine`, async (sharded) => {
      await using direct = await startEngine({ engine });
      for (const [what, requests] of Object.entries(SAME)) {
        const list = requests.split("; ");
        const expected = await repliesTo(await RawClient.connect(direct), list, isPipeline);
        assert.deepEqual(await repliesTo(await sharded.client(), list, isPipeline), expected, what);
      }
    });

    test(`what three shards of ${engine} cannot execute together is refused ${how}`, async (sharded) => {
      for (const pairs of REFUSED) {
        const list = pairs.map(([request]) => request);
        const found = await repliesTo(await sharded.client(), list, isPipeline);
        assert.deepEqual(
          found.map((reply, at) => [list[at], reply]),
          pairs,
        );
      }
    });
  }
}

const shared = sharing(() => Sharded.start(3));

shared("a watched key that another client writes fails EXEC, and one of another shard does not", async (sharded) => {
  const [client, other] = await Promise.all([sharded.client(), sharded.client()]);
  for (const [written, result] of [
    [SECOND, null],
    [FIRST, ["OK"]],
  ] as const) {
    await client.ask("WATCH", SECOND);
    await client.ask("GET", FIRST);
    await other.ask("SET", written, "x");
    await client.ask("MULTI");
    await client.ask("SET", SECOND, "y");
    assert.deepEqual(await client.ask("EXEC"), result);
  }
  for (const one of [client, other]) one.close();
});

shared("many transactions leave no connection behind, and end with their clients", async (sharded) => {
  const clients = await Promise.all(Array.from({ length: 10 }, () => sharded.client()));
  for (let round = 0; round < 20; round++)
    await Promise.all(
      clients.map(async (client, at) => {
        for (const request of [["MULTI"], ["PING"], ["INCR", `counted:${at}`], ["EXEC"]]) client.send(...request);
        assert.deepEqual(await client.readMany(4), ["OK", "QUEUED", "QUEUED", ["PONG", round + 1]]);
      }),
    );
  for (const engine of sharded.engines) {
    const connected = Number(/connected_clients:(\d+)/.exec(String(await engine.call("INFO", "clients")))?.[1]);
    assert.ok(connected < 40, `${connected} connections`);
  }
  for (const client of clients) client.close();
});

alone("a transaction goes on at the next primary of its shard, and a watch that has moved fails it", async () => {
  await using sharded = await Sharded.start(3);
  const [, second] = sharded.engines;
  assert.ok(second !== undefined);
  await using replica = await startEngine();
  await replica.follow(second);
  const [open, watching, elsewhere] = await Promise.all([sharded.client(), sharded.client(), sharded.client()]);
  for (const request of [["MULTI"], ["PING"], ["SET", SECOND, "1"]]) await open.ask(...request);
  await watching.ask("WATCH", SECOND);
  for (const request of [["WATCH", THIRD], ["MULTI"], ["SET", THIRD, "1"]]) await elsewhere.ask(...request);
  await switchOver([sharded.proxy], 2, second, replica, 2);
  assert.deepEqual(await open.ask("EXEC"), ["PONG", "OK"]);
  assert.deepEqual(await elsewhere.ask("EXEC"), ["OK"]);
  await watching.ask("MULTI");
  await watching.ask("GET", SECOND);
  assert.equal(await watching.ask("EXEC"), null);
  assert.equal(await watching.ask("GET", SECOND), "1");
  assert.equal((await sharded.proxy.stats()).cut, 0);
  for (const client of [open, watching, elsewhere]) client.close();
});

alone("a transaction whose first key is of a shard that is held waits for its next primary", async () => {
  await using sharded = await Sharded.start(3);
  const [, second] = sharded.engines;
  assert.ok(second !== undefined);
  await using replica = await startEngine();
  await replica.follow(second);
  const [waiting, other] = await Promise.all([sharded.client(), sharded.client()]);
  assert.equal(await waiting.ask("MULTI"), "OK");
  assert.equal(await waiting.ask("ECHO", "x"), "QUEUED");
  const moved = { bdb: 1, shard: 2, epoch: 2 };
  await done(sharded.proxy.send({ op: "prepare", ...moved, target: addressOf(replica) }));
  await done(sharded.proxy.send({ op: "hold", ...moved, drainMs: 10_000, holdMs: 60_000 }));
  for (const request of [["SET", SECOND, "1"], ["EXEC"], ["GET", SECOND]]) waiting.send(...request);
  for (const request of [["MULTI"], ["SET", FIRST, "1"]]) await other.ask(...request);
  assert.deepEqual(await other.ask("EXEC"), ["OK"]);
  assert.deepEqual(waiting.unread, []);
  await promote(second, replica);
  await done(sharded.proxy.send({ op: "release", ...moved, target: addressOf(replica) }));
  await demote(second, replica);
  assert.deepEqual(await waiting.readMany(3), ["QUEUED", ["x", "OK"], "1"]);
  assert.equal(await replica.call("GET", SECOND), "1");
  for (const client of [waiting, other]) client.close();
});
