import assert from "node:assert/strict";
import { test } from "node:test";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import type { TestShard } from "../../../../test/kit/engines/shard.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { failOver } from "./failover.ts";
import type { FailoverResult } from "./failover.ts";
import { resolveIntent } from "./resolve.ts";

const OLDEST = engineNames().find((name) => name.startsWith("redis-7")) ?? engineNames()[0] ?? "";

test("a replica takes over from a dead primary, the others follow it, and the record reports what may be lost", async () => {
  await using shard = await startShard([OLDEST, OLDEST, OLDEST]);
  await shard.engine(1).call("SET", "before", "1");
  await shard.engine(1).call("WAIT", 2, 1000);
  const { offset } = await shard.engine(1).replication();
  await shard.engine(1).stop();
  const result = await takeOver(shard, { lastSeen: { offset: offset + 50, agoMs: 100 } });
  assert.deepEqual([shard.shard().primary, shard.shard().epoch], [2, 2]);
  assert.match(result.loss, /node 2 took over "db" from node 1; at least \d+ bytes/);
  assert.deepEqual(shard.record().lossReports, [result.loss]);
  assert.deepEqual([result.unreleased, result.unattached], [[], []]);
  assert.equal((await shard.engine(3).replication()).link?.host, shard.engine(2).host);
  assert.equal(await shard.request("GET", "before"), "1");
});

test("a replica takes in what it has received of its dead primary before it is promoted", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const replica = shard.engine(2);
  process.kill(replica.pid, "SIGSTOP");
  const value = "x".repeat(500);
  // as much as the machine of the replica takes: the rest is lost once the replica acknowledges something to a process that has ended
  for (let key = 0; key < 100; key++) await shard.engine(1).call("SET", `key ${key}`, value);
  // a block of the list may be empty
  const isSent = async (): Promise<boolean> =>
    / obl=0 oll=[01] /.test(String(await shard.engine(1).call("CLIENT", "LIST", "TYPE", "replica")));
  await until("all has left the primary", isSent);
  await shard.engine(1).stop();
  const takingOver = takeOver(shard);
  process.kill(replica.pid, "SIGCONT");
  await takingOver;
  assert.equal(await replica.call("DBSIZE"), 100);
});

test("a replica whose clients are paused takes in what it has received of a primary that is frozen", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const [primary, replica] = [shard.engine(1), shard.engine(2)];
  await replica.call("CLIENT", "PAUSE", 60_000, "WRITE");
  for (let key = 0; key < 100; key++) await primary.call("SET", `key ${key}`, "1");
  await until("all has left the primary", async () =>
    / obl=0 oll=[01] /.test(String(await primary.call("CLIENT", "LIST", "TYPE", "replica"))),
  );
  process.kill(primary.pid, "SIGSTOP");
  await takeOver(shard);
  assert.equal(await replica.call("DBSIZE"), 100);
});

test("no replica takes over from a primary that may still take writes", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  await assert.rejects(takeOver(shard, { proof: async () => undefined }), { code: "AGENT_NOT_FENCED" });
  assert.equal((await shard.engine(2).replication()).role, "replica");
});

test("a primary that was reported dead and answers becomes a replica at once", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  await takeOver(shard);
  await shard.requireOnePrimary();
});

test("of two leaders one wins, and the target of the other becomes a replica", async () => {
  await using shard = await startShard([OLDEST, OLDEST, OLDEST]);
  await shard.engine(1).stop();
  const seen = shard.record();
  await takeOver(shard);
  await assert.rejects(
    failOver({ record: seen, shard: 1, to: 3, proof: async () => "ended", dataIsGone: () => false }, ports(shard)),
    {
      code: "AGENT_RECORD_MOVED",
    },
  );
  assert.equal(shard.shard().primary, 2);
  assert.equal((await shard.engine(3).replication()).link?.host, shard.engine(2).host);
});

test("a primary that is cut off is fenced first: no proxy passes its replies on", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const clients = await shard.clients();
  for (const client of clients) await client.ask("INCR", "n");
  process.kill(shard.engine(1).pid, "SIGSTOP");
  for (const [at, proxy] of shard.proxies.entries()) await atEngine(proxy, 1, () => clients[at]?.send("INCR", "n"));
  const result = await takeOver(shard, { proof: async () => "cut-off" });
  process.kill(shard.engine(1).pid, "SIGCONT");
  assert.deepEqual([shard.shard().primary, shard.shard().epoch, shard.shard().switchover], [2, 2, undefined]);
  assert.match(result.loss, /node 2 took over/);
  assert.deepEqual(await Promise.all(clients.map((client) => client.read())), [undefined, undefined]);
  assert.equal(await shard.request("GET", "n"), "2");
});

test("no replica takes over while a proxy neither leaves the primary that is cut off nor is fenced", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const fenced = { now: false };
  const limited = withCutProxy(shard, fenced);
  await assert.rejects(takeOverCutOff(shard, limited), { code: "AGENT_NOT_FENCED" });
  assert.equal((await shard.engine(2).replication()).role, "replica");
  assert.deepEqual(shard.shard().switchover, { to: 2, epoch: 2, forced: true });
  const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, limited);
  assert.equal(resolved.kind, "taken-back");
  fenced.now = true;
  await takeOverCutOff(shard, limited);
  assert.deepEqual([shard.shard().primary, shard.shard().epoch], [2, 4]);
});

test("a failover that is not fenced yet is tried again under one intent and one epoch, also by another leader", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const fenced = { now: false };
  const limited = withCutProxy(shard, fenced);
  const [client] = await shard.clients();
  process.kill(shard.engine(1).pid, "SIGSTOP");
  await assert.rejects(takeOverCutOff(shard, limited), { code: "AGENT_NOT_FENCED" });
  const begun = shard.record();
  client?.send("INCR", "n");
  for (let round = 0; round < 10; round++)
    await assert.rejects(takeOverCutOff(shard, limited), { code: "AGENT_NOT_FENCED" });
  assert.equal(shard.record(), begun, "the record was written again");
  fenced.now = true;
  await takeOverCutOff(shard, limited);
  process.kill(shard.engine(1).pid, "SIGCONT");
  assert.deepEqual([shard.shard().primary, shard.shard().epoch, shard.shard().switchover], [2, 2, undefined]);
  assert.equal(await client?.read(), 1);
});

test("an intent of another target, or of a move that was planned, is not gone on with", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const limited = withCutProxy(shard, { now: true });
  const moved = { code: "AGENT_RECORD_MOVED" };
  const begin = (switchover: NonNullable<ReturnType<typeof shard.shard>["switchover"]>): Promise<unknown> =>
    shard.ports().change((record) => ({ ...record, shards: record.shards.map((one) => ({ ...one, switchover })) }));
  await begin({ to: 2, epoch: 2 });
  await assert.rejects(takeOverCutOff(shard, limited), moved);
  await begin({ to: 3, epoch: 2, forced: true });
  await assert.rejects(takeOverCutOff(shard, limited), moved);
  assert.equal((await shard.engine(2).replication()).role, "replica");
});

/** The proxy of the second node is out of reach; its node proves to be fenced once `fenced.now`. */
function withCutProxy(shard: TestShard, fenced: { now: boolean }): ReturnType<typeof ports> {
  const [first, second] = shard.ports().proxies;
  assert.ok(first !== undefined && second !== undefined);
  const cut = { ...second, send: () => Promise.reject(new Error("no way")), isFenced: async () => fenced.now };
  return { ...ports(shard), proxies: [first, cut] };
}

function takeOverCutOff(shard: TestShard, limited: ReturnType<typeof ports>): Promise<FailoverResult> {
  const proof = async () => "cut-off" as const;
  return failOver({ record: shard.record(), shard: 1, to: 2, proof, dataIsGone: () => false }, limited);
}

function takeOver(shard: TestShard, over: Partial<Parameters<typeof failOver>[0]> = {}): Promise<FailoverResult> {
  return failOver(
    { record: shard.record(), shard: 1, to: 2, proof: async () => "ended", dataIsGone: () => false, ...over },
    ports(shard),
  );
}

function ports(shard: TestShard): Parameters<typeof failOver>[1] {
  return { ...shard.ports(), clock: systemClock };
}
