import assert from "node:assert/strict";
import { test } from "node:test";
import type { OtherScripts, ScriptsRequest } from "../../../ports/management/scripts-question.ts";
import { addressOf, done, endpointFor, startProxy, type TestProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { promote } from "../../../../test/kit/engines/switchover.ts";
import { startWorkers, workerOf } from "../../../../test/kit/engines/workers.ts";
import { until } from "#kit/testing/until";
import { shaOf } from "../upstream/script-cache.ts";

const BODY = "return 'from script'";
const SHA = shaOf(Buffer.from(BODY));

test("a script that came through a proxy that has left is there behind a move", async () => {
  await using served = await Served.start();
  await using second = await secondProxy(served);
  const loader = await RawClient.connect(second.listen);
  assert.equal(await loader.ask("SCRIPT", "LOAD", BODY), SHA);
  await until("the first proxy knows it", () => knows(served.proxy));
  loader.close();
  served.proxy.onScripts(() => Promise.resolve([])); // the only one from now on
  await second.proxy.stop();
  await served.move();
  const client = await served.client();
  assert.equal(await client.ask("EVALSHA", SHA, 0), "from script");
});

test("a proxy that starts learns the scripts of the others, and takes them along when those have left", async () => {
  await using served = await Served.start();
  const client = await served.client();
  await client.ask("EVAL", BODY, 0);
  await using second = await secondProxy(served);
  await until("the second proxy knows it", () => knows(second.proxy));
  const target = addressOf(served.replica);
  await done(second.proxy.send({ op: "prepare", bdb: 1, epoch: 2, target }));
  await until("the target has it", async () => String(await served.replica.call("SCRIPT", "EXISTS", SHA)) === "1");
});

test("SCRIPT FLUSH through one proxy makes the others forget what the primary has not any more", async () => {
  await using served = await Served.start();
  await using second = await secondProxy(served);
  const [client, other] = [await served.client(), await RawClient.connect(second.listen)];
  await client.ask("SCRIPT", "LOAD", BODY);
  await until("the second proxy knows it", () => knows(second.proxy));
  await other.ask("SCRIPT", "FLUSH");
  await until("the first proxy has forgotten it", async () => !(await knows(served.proxy)));
});

test("a script that another proxy has loaded after it was asked is there for all clients behind the move, in transactions too", async () => {
  await using served = await Served.start();
  await using second = await secondProxy(served);
  // what it lets others know does not arrive; it answers what it is asked
  second.proxy.onScripts(() => Promise.resolve([{ node: 1, missing: "cut off" }]));
  const [client, queuing, loader] = [
    await served.client(),
    await served.client(),
    await RawClient.connect(second.listen),
  ];
  const target = addressOf(served.replica);
  await done(served.prepare());
  await done(second.proxy.send({ op: "prepare", bdb: 1, epoch: 2, target }));
  assert.equal(await loader.ask("SCRIPT", "LOAD", BODY), SHA);
  assert.deepEqual([await queuing.ask("MULTI"), await queuing.ask("EVALSHA", SHA, 0)], ["OK", "QUEUED"]);
  await done(served.hold({ holdMs: 60_000 }));
  await done(second.proxy.send({ op: "hold", bdb: 1, epoch: 2, drainMs: 5_000, holdMs: 60_000 }));
  client.send("EVALSHA", SHA, 0);
  await promote(served.primary, served.replica);
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target }));
  assert.equal(await client.read(), "from script");
  assert.deepEqual(await queuing.ask("EXEC"), ["from script"]);
  for (const one of [client, queuing, loader]) one.close();
});

test("behind a move a script that no proxy knows is answered as the engine does, also while one of them does not answer", async () => {
  await using served = await Served.start();
  await using second = await secondProxy(served);
  const client = await served.client();
  await served.move();
  assert.match(String(await client.ask("EVALSHA", SHA, 0)), /^-NOSCRIPT/);
  served.proxy.onScripts(() => Promise.resolve([{ node: 2, missing: "cut off" }]));
  await served.move();
  assert.match(String(await client.ask("EVALSHA", SHA, 0)), /^-NOSCRIPT/);
  client.close();
  await second.proxy.stop();
});

test("a script that came through one worker of a node is known to the others", async () => {
  await using served = await Served.start();
  await using workers = await startWorkers(2);
  const endpoint = endpointFor(served.primary);
  await workers.apply([endpoint]);
  const client = await RawClient.connect(endpoint.listen);
  await client.ask("SCRIPT", "LOAD", BODY);
  const number = await workerOf(client);
  const known = async (): Promise<number> => {
    const reply = await done(workers.send({ op: "scripts", bdb: 1, known: [] }));
    return "bodies" in reply ? reply.bodies.length : 0;
  };
  await until("both know it", async () => (await known()) === 2);
  await workers.kill(number);
  await workers.whole();
  await until("the one that was started again knows it", async () => (await known()) === 2);
});

/** Another proxy of the database, as of another node; both ask each other. */
async function secondProxy(served: Served) {
  const proxy = await startProxy();
  const endpoint = endpointFor(served.primary, { node: 2 });
  served.proxy.onScripts((request) => ask(proxy, 2, request));
  proxy.onScripts((request) => ask(served.proxy, 1, request));
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  return { proxy, listen: endpoint.listen, [Symbol.asyncDispose]: () => proxy.stop() };
}

async function ask(proxy: TestProxy, node: number, request: ScriptsRequest): Promise<readonly OtherScripts[]> {
  const reply = await proxy.send({ op: "scripts", ...request });
  return reply.ok && reply.op === "scripts"
    ? [{ node, bodies: reply.bodies, more: reply.more }]
    : [{ node, missing: "it does not serve the database" }];
}

async function knows(proxy: TestProxy): Promise<boolean> {
  const reply = await done(proxy.send({ op: "scripts", bdb: 1, known: [] }));
  return "bodies" in reply && reply.bodies.length > 0;
}
