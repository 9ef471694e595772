import assert from "node:assert/strict";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { SlowUpload } from "../../../../test/kit/engines/slow-upload.ts";
import { Reshaped } from "../../../../test/kit/sharded/reshaped.ts";

/** One database goes through all tests, by 4, 3 and 1 shards each time. */
const test = sharing(() => Reshaped.start(1, { proxies: 2 }));
const NUMBERS = [4, 3, 1];
const LETTERS = ["a", "b", "c", "d", "e"];
const EXECABORT = "-EXECABORT Transaction discarded because of previous errors.";

test("a client that blocks goes on waiting at the next shards, for the rest of its time", async (database) => {
  const [blocked, late, other] = await clientsOf(database);
  for (const shards of NUMBERS) {
    blocked.send("BLPOP", "list", 30);
    late.send("BLPOP", "nothing", 2);
    await database.reshape(shards);
    assert.equal(await other.ask("RPUSH", "list", "x"), 1);
    assert.deepEqual(plain(await blocked.read()), ["list", "x"]);
    assert.equal(await late.read(), null);
  }
});

test("a transaction goes to the shard of its keys, and fails when it watches or no shard has all of them", async (database) => {
  const [queued, watching, crossing] = await clientsOf(database);
  for (const [times, shards] of NUMBERS.entries()) {
    const isOne = database.engines.length === 1;
    await askAll(queued, ["MULTI"], ["INCR", "n"], ["GET", "{n}:other"]);
    await askAll(watching, ["WATCH", "w"], ["MULTI"], ["SET", "w", "1"]);
    if (isOne) await askAll(crossing, ["MULTI"], ...LETTERS.map((letter) => ["SET", letter, "torn"]));
    await database.reshape(shards);
    assert.deepEqual(await queued.ask("EXEC"), [times + 1, null]);
    assert.equal(await watching.ask("EXEC"), null);
    if (isOne) assert.equal(await crossing.ask("EXEC"), EXECABORT);
    assert.equal(await crossing.ask("EXISTS", ...LETTERS, "w"), 0);
  }
});

test("scripts, names, databases and both protocols are as before", async (database) => {
  const [client, other] = await clientsOf(database);
  await askAll(client, ["HELLO", "3"], ["CLIENT", "SETNAME", "it"], ["SELECT", "3"]);
  const script = "return redis.call('incr', KEYS[1])";
  const digest = String(await other.ask("SCRIPT", "LOAD", script));
  for (const [times, shards] of NUMBERS.entries()) {
    await database.reshape(shards, {
      whileHeld: async () => {
        client.send("EVALSHA", digest, 1, "counted");
        other.send("EVALSHA", digest, 1, "elsewhere");
      },
    });
    assert.deepEqual([await client.read(), await other.read()], [times + 1, times + 1]);
    assert.equal(await client.ask("CLIENT", "GETNAME"), "it");
    assert.equal(await client.ask("GET", "counted"), String(times + 1));
    assert.equal(await other.ask("GET", "counted"), null, "in another database");
  }
});

test("a large request that has not arrived whole goes to the shard of its key", async (database) => {
  const [client, other] = await clientsOf(database);
  for (const shards of NUMBERS) {
    const upload = new SlowUpload(client, "large", 5 * 2 ** 20);
    upload.send(2 * 2 ** 20);
    assert.equal(await other.ask("EXISTS", "large:not"), 0);
    await database.reshape(shards);
    upload.finish();
    assert.equal(await client.read(), "OK");
    assert.equal(await other.ask("STRLEN", "large"), 5 * 2 ** 20);
  }
});

test("what a client does at a shard that is kept stays there", async (database) => {
  const [blocked, watching, other] = await clientsOf(database);
  await database.reshape(2);
  // "{4}" and "list" are of the second half, "{3}" is of the first
  blocked.send("BLPOP", "list", 30);
  await askAll(watching, ["SET", "{4}w", "0"], ["WATCH", "{4}w"], ["MULTI"], ["SET", "{4}w", "1"]);
  const upload = new SlowUpload(other, "{4}large", 5 * 2 ** 20);
  upload.send(2 * 2 ** 20);
  await database.reshape(["0-99", "100-8191", "8192-16383"]);
  upload.finish();
  assert.equal(await other.read(), "OK");
  assert.deepEqual(await watching.ask("EXEC"), ["OK"], "nothing that it watches has changed");
  assert.equal(await other.ask("RPUSH", "list", "x"), 1);
  assert.deepEqual(plain(await blocked.read()), ["list", "x"]);
  assert.equal(await other.ask("GET", "{4}w"), "1");
  await database.reshape(1);
});

async function clientsOf(database: Reshaped): Promise<[RawClient, RawClient, RawClient]> {
  const [one, two, three] = await Promise.all([0, 1, 0].map((proxy) => database.client(proxy)));
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  return [one, two, three];
}

/** Each of them is taken. */
async function askAll(client: RawClient, ...requests: readonly (readonly string[])[]): Promise<void> {
  client.write(Buffer.concat(requests.map(encodeCommand)));
  for (const reply of await client.readMany(requests.length)) assert.doesNotMatch(String(plain(reply)), /^-/);
}
