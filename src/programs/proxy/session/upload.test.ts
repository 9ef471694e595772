import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { startLedger } from "../../../../test/kit/load/load-ledger.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { SlowUpload } from "../../../../test/kit/engines/slow-upload.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";
import { faults } from "../faults.ts";

const MIB = 2 ** 20;
const test = sharing(() => Served.start({ holdMs: 10_000 }));

test("a large request is executed once and in its place, and what follows it as well", async (served) => {
  const client = await served.client();
  const value = Buffer.alloc(5 * MIB, "v");
  client.send("SET", "large", "small");
  client.send("SETRANGE", "large", 2, value);
  client.send("STRLEN", "large");
  client.send("GETRANGE", "large", 0, 3);
  client.send("APPEND", "large", value);
  assert.deepEqual(await client.readMany(5), ["OK", 5 * MIB + 2, 5 * MIB + 2, "smvv", 10 * MIB + 2]);
  assert.equal(await client.ask("GET", "large"), `sm${"v".repeat(10 * MIB)}`);
});

test("a slow upload delays no other client, and needs little memory", async (served) => {
  const [slow, other] = await served.clients(2);
  const before = residentMiB(served);
  const upload = new SlowUpload(slow, "slow", 128 * MIB);
  upload.send(127 * MIB);
  await using ledger = await startLedger({ ...served.endpoint.listen, connections: 10 });
  await until("requests are served", () => ledger.requests() > 2000);
  const { failed, longestMs } = await ledger.stop();
  assert.equal(failed, 0);
  // the upload has no end yet: a request behind it would wait for ever
  assert.ok(longestMs < 15_000, `${longestMs} ms`);
  await until("most has been passed on", async () => (await received(served)) > 126 * MIB);
  const grown = residentMiB(served) - before;
  assert.ok(grown < 90, `${grown} MiB`);
  assert.equal(await other?.ask("EXISTS", "slow"), 0);
  upload.finish();
  assert.equal(await slow?.read(), "OK");
  assert.equal(await other?.ask("STRLEN", "slow"), 128 * MIB);
  await other?.ask("FLUSHALL");
});

test("a slow upload delays no change of primary, and its whole request is executed at the last one", async (served) => {
  const client = await served.client();
  await using ledger = await startLedger({ ...served.endpoint.listen, connections: 10 });
  const upload = new SlowUpload(client, "carried", 30 * MIB);
  for (let i = 0; i < 19; i++) {
    upload.send(1.5 * MIB);
    await until("it flows", async () => (await received(served)) > MIB);
    await served.move();
  }
  upload.finish();
  assert.equal(await client.read(), "OK");
  assert.equal(await client.ask("STRLEN", "carried"), 30 * MIB);
  const { failed, lost } = await ledger.stop();
  assert.deepEqual([failed, lost], [0, 0]);
});

test("an upload does not go on during a hold, and goes on at the old primary when that is given up", async (served) => {
  const client = await served.client();
  const upload = new SlowUpload(client, "held", 4 * MIB);
  upload.send(2 * MIB);
  await until("it flows", async () => (await received(served)) > MIB);
  await done(served.prepare());
  await done(served.hold());
  upload.finish();
  assert.equal(await served.primary.call("EXISTS", "held"), 0);
  await done(served.abort());
  assert.equal(await client.read(), "OK");
});

test("a hold waits for the end of an upload that is too large to be carried over", async (served) => {
  const [client, other] = await served.clients(2);
  const upload = new SlowUpload(client, "huge", 80 * MIB);
  upload.send(70 * MIB);
  await until("it flows", async () => (await received(served)) > 69 * MIB);
  await done(served.prepare());
  const reply = await served.hold({ drainMs: 50 });
  assert.equal(reply.ok ? undefined : reply.code, faults.notDrained.code);
  assert.match(reply.ok ? "" : reply.message, /the longest for SET \(upload\) of client 127/);
  const held = done(served.hold({ drainMs: 20_000 }));
  await until("the hold has begun", async () => (await served.proxy.stats()).held);
  upload.finish();
  assert.equal(await client?.read(), "OK");
  await held;
  await done(served.abort());
  await other?.ask("FLUSHALL");
});

test("an upload that begins during a hold goes to the new primary", async (served) => {
  const client = await served.client();
  await done(served.prepare());
  await done(served.hold());
  const upload = new SlowUpload(client, "fresh", 4 * MIB);
  upload.send(2 * MIB);
  await served.moveEngines();
  await done(served.release());
  upload.finish();
  assert.equal(await client.read(), "OK");
});

test("an upload that an engine refuses is sent again to the next one", async (served) => {
  const client = await served.client();
  const upload = new SlowUpload(client, "refused", 4 * MIB);
  upload.send(2 * MIB);
  await until("it flows", async () => (await received(served)) > MIB);
  await served.moveEngines();
  upload.finish();
  client.send("STRLEN", "refused");
  await done(served.release());
  assert.deepEqual(await client.readMany(2), ["OK", 4 * MIB]);
});

test("a client that leaves in the middle of an upload has executed nothing", async (served) => {
  const [gone, other] = await served.clients(2);
  const upload = new SlowUpload(gone, "gone", 4 * MIB);
  upload.send(2 * MIB);
  gone?.end();
  assert.equal(await gone?.read(), undefined);
  assert.equal(await other?.ask("EXISTS", "gone"), 0);
});

test("a large script and a large part of a transaction are collected, as they may have to be sent again", async (served) => {
  const client = await served.client();
  const large = "-".repeat(2 * MIB);
  assert.equal(await client.ask("EVAL", `--${large}\nreturn 7`, 0), 7);
  await client.ask("MULTI");
  assert.equal(await client.ask("SET", "transacted", large), "QUEUED");
  await served.move();
  assert.deepEqual(await client.ask("EXEC"), ["OK"]);
});

test("a malformed request in the middle of an upload ends its client only", async (served) => {
  const client = await served.client();
  const upload = new SlowUpload(client, "broken", 4 * MIB);
  upload.send(4 * MIB);
  client.write("no line end");
  assert.match(String(plain(await client.read())), /^-ERR Protocol error/);
  assert.equal(await client.read(), undefined);
});

test("when an engine dies in the middle of an upload, the next one executes it", async (served) => {
  const client = await served.client();
  const upload = new SlowUpload(client, "dying", 4 * MIB);
  upload.send(2 * MIB);
  await until("it flows", async () => (await received(served)) > MIB);
  await served.primary.stop();
  await served.replica.call("REPLICAOF", "NO", "ONE");
  const target = addressOf(served.replica);
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: ++served.epoch, target }));
  upload.finish();
  assert.equal(await client.read(), "OK");
  assert.equal(await client.ask("STRLEN", "dying"), 4 * MIB);
  assert.equal((await served.proxy.stats()).cut, 0);
});

function residentMiB({ proxy }: Served): number {
  const kib = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${proxy.pid}/status`, "latin1"))?.[1];
  return Number(kib) / 1024;
}

/** Bytes that wait at the primary for the end of a request. */
async function received({ primary }: Served): Promise<number> {
  const clients = String(await primary.call("CLIENT", "LIST"));
  return Math.max(...[...clients.matchAll(/ qbuf=(\d+)/g)].map(([, bytes]) => Number(bytes)));
}
