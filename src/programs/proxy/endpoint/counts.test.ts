import assert from "node:assert/strict";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { demote, promote } from "../../../../test/kit/engines/switchover.ts";
import { until } from "#kit/testing/until";
import type { HistogramValues } from "#kit/base/histogram";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { EndpointCounts } from "../../../ports/management/proxy-control.ts";

const test = sharing(() => Served.start());

test("requests, bytes, errors and latencies are counted, whichever way a request takes", async (served) => {
  const client = await served.client();
  await client.ask("GET", "k"); // the engine can be reached
  const before = await countsOf(served);
  const requests = [
    ["SET", "k", "v"],
    ["GET", "k"],
    ["INCR", "k"], // refused by the engine
    ["CONFIG", "SET", "maxmemory", "1"], // refused here
    ["MULTI"],
    ["GET", "k"],
    ["EXEC"],
  ];
  let sent = 0;
  for (const request of requests) {
    sent += encodeCommand(request).length;
    await client.ask(...request);
  }
  const { requests: counted, receivedBytes, errors, answered, sentBytes } = since(before, await countsOf(served));
  assert.deepEqual([counted, receivedBytes, errors, total(answered)], [requests.length, sent, 2, requests.length - 1]);
  const replies = "+OK\r\n$1\r\nv\r\n+OK\r\n+QUEUED\r\n*1\r\n$1\r\nv\r\n".length;
  assert.ok(sentBytes > replies + 2 * "-ERR ".length && sentBytes < replies + 400, `${sentBytes} bytes`);
  assert.ok(answered.sum > 0 && answered.sum < 5);
});

test("a pipeline counts each of its requests", async (served) => {
  const client = await served.client();
  const before = await countsOf(served);
  const request = encodeCommand(["INCR", "pipelined"]);
  client.write(Buffer.concat(Array.from({ length: 500 }, () => request)));
  await client.readMany(500);
  const { requests, answered, receivedBytes } = since(before, await countsOf(served));
  assert.deepEqual([requests, total(answered), receivedBytes], [500, 500, 500 * request.length]);
});

test("a switchover is counted once, with the hold, and what waited for it as held", async (served) => {
  const client = await served.client();
  const before = await countsOf(served);
  await done(served.prepare());
  await done(served.hold());
  client.send("SET", "held", "1");
  await until("the request has arrived", async () => (await countsOf(served)).receivedBytes > before.receivedBytes);
  await served.moveEngines();
  await done(served.release());
  assert.equal(await client.read(), "OK");
  await client.ask("SET", "held", "2");
  const { switchovers, failovers, holds, outages, answered, answeredLate } = since(before, await countsOf(served));
  assert.deepEqual([switchovers, failovers, total(holds), total(outages)], [1, 0, 1, 0]);
  assert.deepEqual([total(answeredLate), total(answered)], [1, 1]);
  assert.ok(answeredLate.sum > 0 && holds.sum > 0);
});

test("a request that an engine refuses is counted as held, once, when it is answered", async (served) => {
  const client = await served.client();
  await client.ask("SET", "k", "1");
  const before = await countsOf(served);
  const { primary, replica } = served;
  await promote(primary, replica);
  client.send("SET", "k", "2");
  await until("it was refused", async () => (await served.proxy.stats()).resent > before.resent);
  await demote(primary, replica);
  [served.primary, served.replica] = [replica, primary];
  await done(served.release());
  assert.equal(await client.read(), "OK");
  const { errors, failovers, answered, answeredLate } = since(before, await countsOf(served));
  assert.deepEqual([errors, failovers, total(answered), total(answeredLate)], [0, 1, 0, 1]);
});

test("the death of a primary is counted as an outage and a failover", async (served) => {
  const client = await served.client();
  await client.ask("SET", "k", "3");
  const before = await countsOf(served);
  await until("it is replicated", async () => (await served.replica.call("GET", "k")) === "3");
  await served.primary.stop();
  client.send("GET", "k");
  await until("the proxy has seen it end", async () => (await countsOf(served)).receivedBytes > before.receivedBytes);
  await served.replica.call("REPLICAOF", "NO", "ONE");
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: served.epoch + 1, target: addressOf(served.replica) }));
  assert.equal(await client.read(), "3");
  const { switchovers, failovers, holds, outages } = since(before, await countsOf(served));
  assert.deepEqual([switchovers, failovers, total(holds), total(outages)], [0, 1, 0, 1]);
});

test("requests and transactions over several slots are counted by command", async (served) => {
  const client = await served.client();
  const requests = [
    ["SUNION", "{a}1", "{a}2"], // of one slot
    ["MGET", "a", "b"], // shards answer parts of it
    ["SUNION", "a", "b"],
    ["sunion", "a", "b", "c"],
    ["SORT", "a", "STORE", "b"],
    ["EVAL", "return 1", "2", "a", "b"],
    ["EVAL", "return 1", "1", "a"],
    ["BLPOP", "a", "b", "0.01"],
    ["MULTI"],
    ["GET", "a"],
    ["MGET", "a", "b"],
    ["EXEC"],
    ["MULTI"],
    ["GET", "{a}1"],
    ["GET", "{a}2"],
    ["EXEC"],
  ];
  for (const request of requests) await client.ask(...request);
  client.write(Buffer.concat([encodeCommand(["GET", "a"]), encodeCommand(["RENAMENX", "a", "b"])]));
  await client.readMany(2);
  const { crossings } = await countsOf(served);
  assert.deepEqual(crossings, { SUNION: 2, SORT: 1, EVAL: 1, BLPOP: 1, MULTI: 1, RENAMENX: 1 });
});

type Counted = EndpointCounts & { readonly requests: number; readonly resent: number };

async function countsOf(served: Served): Promise<Counted> {
  const { counted, requests, resent } = await served.proxy.stats();
  assert.ok(counted !== undefined);
  return { ...counted, requests, resent };
}

/** What was counted between two moments, crossings aside. */
function since(before: Counted, { crossings: _, ...now }: Counted): Counted {
  const numbers = Object.entries(now).map(([name, value]): [string, unknown] => {
    const earlier = before[name as keyof typeof now];
    return [
      name,
      typeof earlier === "object" ? less(value as HistogramValues, earlier) : Number(value) - (earlier ?? 0),
    ];
  });
  return Object.fromEntries(numbers) as unknown as Counted; // of the same names
}

function less(now: HistogramValues, before: HistogramValues): HistogramValues {
  return { counts: now.counts.map((count, at) => count - (before.counts[at] ?? 0)), sum: now.sum - before.sum };
}

function total({ counts }: HistogramValues): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
