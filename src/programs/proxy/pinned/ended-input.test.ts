import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { demote, promote } from "../../../../test/kit/engines/switchover.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { until } from "#kit/testing/until";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const test = sharing(() => Served.start());

type Requests = readonly (readonly string[])[];

const SLOW = ["EVAL", "for i = 1, 3000000 do end return 1", "0"];
const BLPOP = ["BLPOP", "q", "0"];

/** What a client sends together with its FIN, while `q` is empty. */
const UNMET: Readonly<Record<string, Requests>> = {
  "a blocking command": [BLPOP],
  "a plain request and a blocking command": [["SET", "plain", "1"], BLPOP],
  "a script and a blocking command": [["EVAL", "return 1", "0"], BLPOP],
  "a slow script and a blocking command": [SLOW, BLPOP],
  "a transaction and a blocking command": [["MULTI"], BLPOP, ["EXEC"], BLPOP],
  "a question and a blocking command": [["CLIENT", "GETNAME"], BLPOP],
  "a blocking command and a write": [BLPOP, ["INCR", "counted"]],
  "a blocking command and a script": [BLPOP, ["EVAL", "return redis.call('INCR', 'counted')", "0"]],
  "a blocking command and a question": [BLPOP, ["CLIENT", "GETNAME"]],
  "a blocking command that would end, and a write": [
    ["BLPOP", "q", "0.1"],
    ["INCR", "counted"],
  ],
  "two blocking commands": [BLPOP, BLPOP],
  "a wait for replicas": [
    ["SET", "plain", "1"],
    ["WAIT", "3", "0"],
  ],
  "a wait for a stream": [["XREAD", "BLOCK", "0", "STREAMS", "s", "$"], ["PING"]],
};

/** The same while `q` has one element. */
const MET: Readonly<Record<string, Requests>> = {
  "a blocking command": [BLPOP],
  "a blocking command and a write": [BLPOP, ["INCR", "counted"]],
  "a blocking command, a script and a write": [BLPOP, ["EVAL", "return 5", "0"], ["INCR", "counted"]],
  "a blocking command, a script, another blocking command and a write": [BLPOP, SLOW, BLPOP, ["INCR", "counted"]],
  "two blocking commands": [BLPOP, BLPOP],
  "a blocking command and questions": [BLPOP, ["CLIENT", "GETNAME"], ["SELECT", "0"], ["CLIENT", "GETNAME"]],
  "a blocking command and a transaction with a question": [BLPOP, ["MULTI"], ["CONFIG", "GET", "none"], ["EXEC"]],
  "a blocking command of a subscriber and a question": [
    ["HELLO", "3"],
    ["SUBSCRIBE", "c"],
    BLPOP,
    ["CLIENT", "GETNAME"],
  ],
};

for (const name of engineNames())
  alone(
    `a client that sends what blocks, and FIN at once, gets through a proxy what ${name} itself gives it`,
    async () => {
      await using engine = await startEngine({ engine: name });
      await using served = await beside(engine);
      for (const [list, there] of [
        [UNMET, 0],
        [MET, 1],
      ] as const)
        for (const [what, requests] of Object.entries(list)) {
          const direct = await outcome(engine, () => RawClient.connect(engine), requests, there);
          const where = `${what}, with ${there} elements`;
          assert.deepEqual(await outcome(engine, served.plain, requests, there), direct, where);
          assert.deepEqual(await outcome(engine, served.tls, requests, there), direct, `${where}, over TLS`);
        }
    },
  );

/** What a client gets until its connection ends, and what is in the engine then. */
async function outcome(engine: TestEngine, connect: () => Promise<RawClient>, requests: Requests, there: number) {
  await engine.call("FLUSHALL");
  if (there > 0) await engine.call("RPUSH", "q", "a");
  const client = await connect();
  client.write(Buffer.concat(requests.map((request) => encodeCommand(request))));
  client.end();
  const replies = [];
  for (let reply = await client.read(); reply !== undefined; reply = await client.read())
    replies.push(reply instanceof Map ? "HELLO" : plain(reply));
  client.close();
  await untilBlocked(engine, 0);
  await engine.call("RPUSH", "q", "later");
  return { replies, list: await engine.call("LRANGE", "q", 0, -1), counted: await engine.call("GET", "counted") };
}

/** Two endpoints of a proxy at this engine, one of them with TLS. */
async function beside(engine: TestEngine) {
  const proxy = await startProxy();
  const own = authorityNamed("own");
  const settings = endpointSettings(settingsWith({ tlsMode: "enabled" }));
  const certificate = endpointCertificate(own, "db.ns.svc");
  const [open, closed] = [endpointFor(engine), endpointFor(engine, { bdb: 2, settings, certificate })];
  await done(proxy.send({ op: "configure", endpoints: [open, closed] }));
  return {
    plain: () => RawClient.connect(open.listen),
    tls: () => RawClient.connectTls(closed.listen, { ca: own.certificate, servername: "db.ns.svc" }),
    [Symbol.asyncDispose]: () => proxy.stop(),
  };
}

const LEAVES = { "with FIN": "end", "with FIN, and reads nothing more": "close", "with RST": "reset" } as const;

for (const [how, leave] of Object.entries(LEAVES)) {
  test(`a client that leaves ${how} during a hold in which it has sent a blocking command takes no element`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("DEL", "q");
    await done(served.prepare());
    await done(served.hold());
    await sentAlone(served, client, ["BLPOP", "q", "0"]);
    client.send("CLIENT", "GETNAME");
    client[leave]();
    await done(served.abort());
    await untilGone(other);
    await untilBlocked(served.primary, 0);
    await other.ask("RPUSH", "q", "a");
    assert.equal(await other.ask("LLEN", "q"), 1);
    for (const one of [client, other]) one.close();
  });

  test(`a client that leaves ${how} while the primary changes behind its blocking command takes no element`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("DEL", "q");
    client.send("BLPOP", "q", "0");
    await untilBlocked(served.primary, 1);
    await done(served.prepare());
    await done(served.hold());
    await promote(served.primary, served.replica);
    await demote(served.primary, served.replica);
    await untilBlocked(served.primary, 0);
    client[leave]();
    // what it has left behind is seen before the next primary is
    await until("the client is gone", async () => (await served.proxy.stats()).clients === 1);
    await served.replica.call("RPUSH", "q", "a");
    [served.primary, served.replica] = [served.replica, served.primary];
    await done(served.release());
    await untilBlocked(served.primary, 0);
    assert.equal(await other.ask("LLEN", "q"), 1);
    for (const one of [client, other]) one.close();
  });
}

test("a client that sends a blocking command and FIN during a hold gets the element that the next primary has", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await other.ask("DEL", "q");
  await done(served.prepare());
  await done(served.hold());
  await sentAlone(served, client, ["BLPOP", "q", "0"]);
  client.end();
  await served.moveEngines();
  await served.primary.call("RPUSH", "q", "a");
  await done(served.release());
  assert.deepEqual(await client.read(), ["q", "a"]);
  assert.equal(await client.read(), undefined);
  for (const one of [client, other]) one.close();
});

test("a request that the engine refuses because it was demoted is executed by the next primary, also for a client that has sent FIN", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await other.ask("DEL", "counted", "q");
  // its connection to the engine is the one that the script gets
  assert.deepEqual([await client.ask("MULTI"), await client.ask("EXEC")], ["OK", []]);
  await served.moveEngines();
  const before = await refusals(served.replica);
  client.send("EVAL", "return redis.call('INCR', 'counted')", "0");
  client.send("BLPOP", "q", "0");
  client.end();
  await until("the engine has refused it", async () => (await refusals(served.replica)) > before);
  await done(served.release());
  assert.equal(await client.read(), 1);
  assert.equal(await client.read(), undefined);
  await untilBlocked(served.primary, 0);
  for (const one of [client, other]) one.close();
});

alone("an element for a client that has sent FIN is acknowledged once the replicas know that it is taken", async () => {
  await using served = await Served.start();
  await inSync(served);
  const [client, other] = [await served.client(), await served.client()];
  await other.ask("RPUSH", "q", "a");
  using replica = await suspend(served.replica);
  client.send("BLPOP", "q", "0");
  client.end();
  await until("it is taken, and the engine has ended the connection", async () => isTaken(served));
  await done(served.proxy.send({ op: "stats" }));
  assert.deepEqual([client.unread, client.over], [[], false]);
  replica.resume();
  assert.deepEqual(await client.read(), ["q", "a"]);
  assert.equal(await client.read(), undefined);
});

alone(
  "an element for a client that has sent FIN is not acknowledged by an engine that is lost before its replicas know",
  async () => {
    await using served = await Served.start();
    await inSync(served);
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("RPUSH", "q", "a");
    using replica = await suspend(served.replica);
    client.send("BLPOP", "q", "0");
    client.end();
    await until("it is taken, and the engine has ended the connection", async () => isTaken(served));
    await served.primary.stop();
    assert.equal(await client.read(), undefined);
    replica.resume();
  },
);

/** The list is empty, and no client has a connection of its own to the engine. */
async function isTaken({ primary }: Served): Promise<boolean> {
  const isEmpty = (await primary.call("EXISTS", "q")) === 0;
  return isEmpty && !/ cmd=blpop /.test(String(await primary.call("CLIENT", "LIST")));
}

/** Replies wait for the replica from now on. */
async function inSync(served: Served): Promise<void> {
  const set = { version: 1, joining: [], members: [addressOf(served.replica)] };
  const sync = { withoutReplica: "degrade", epoch: served.epoch, set } as const;
  const endpoint = withShard(served.endpoint, { epoch: served.epoch, primary: addressOf(served.primary), sync });
  await done(served.proxy.send({ op: "configure", endpoints: [endpoint] }));
}

/** How many requests the engine has refused as a replica. */
async function refusals(engine: TestEngine): Promise<number> {
  const stats = String(await engine.call("INFO", "errorstats"));
  return Number(/errorstat_READONLY:count=(\d+)/.exec(stats)?.[1] ?? 0);
}

/** Resolves when all other clients are gone for the proxy. */
async function untilGone(other: RawClient): Promise<void> {
  await until("the client is gone", async () => {
    const list = String(await other.ask("CLIENT", "LIST"));
    return list.trim().split("\n").length === 1;
  });
}

/** Resolves when the proxy has read the request, apart from all before. */
async function sentAlone({ proxy }: Served, client: RawClient, request: readonly string[]): Promise<void> {
  const received = async (): Promise<number> => (await proxy.stats()).counted?.receivedBytes ?? 0;
  const bytes = encodeCommand(request);
  const before = await received();
  client.write(bytes);
  await until("the request is read", async () => (await received()) >= before + bytes.length);
}
