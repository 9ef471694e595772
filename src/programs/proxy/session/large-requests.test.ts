import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";

const KIB = 1024;
const SIZES = [60, 64, 65, 100, 128, 300, 700].map((size) => size * KIB);
const PIPELINED = 14;
const ROUNDS = 3;
const test = sharing(() => Served.start({ holdMs: 10_000 }));

test("large values of pipelining clients arrive as they were sent, through changes of primary", async (served) => {
  const clients = await served.clients(6);
  for (let round = 0; round < ROUNDS; round++) {
    const written = clients.map((client, i) => writeAll(client, `${round}:${i}`));
    await served.move();
    for (const replies of await Promise.all(written)) assert.deepEqual(new Set(replies), new Set(["OK"]));
  }
  await assertWhole(clients[0] ?? assert.fail(), clients.length);
});

test("a client that leaves in the middle of a large value changes no other client's", async (served) => {
  const clients = await served.clients(4);
  for (let round = 0; round < ROUNDS; round++) {
    const leaving = await served.clients(4);
    for (const client of leaving) {
      client.send("SET", "left", Buffer.alloc(100 * KIB, "x"));
      client.write(`*3\r\n$3\r\nSET\r\n$4\r\nleft\r\n$${128 * KIB}\r\n`);
      client.write(Buffer.alloc(70 * KIB, "y"));
    }
    const written = clients.map((client, i) => writeAll(client, `${round}:${i}`));
    for (const client of leaving) client.end();
    await Promise.all(written);
  }
  await assertWhole(clients[0] ?? assert.fail(), clients.length);
});

test("large values inside a transaction, and large scripts, stay as they were sent", async (served) => {
  const [client, other] = await served.clients(2);
  assert.ok(client !== undefined && other !== undefined);
  client.send("MULTI");
  for (let i = 0; i < PIPELINED; i++) client.send("SET", `queued:${i}`, valueOf(`queued:${i}`, i));
  await client.readMany(1 + PIPELINED);
  await writeAll(other, "0:0");
  await client.ask("EXEC");
  for (let i = 0; i < PIPELINED; i++) await assertValue(other, `queued:${i}`, i);
  const script = `return #ARGV[1] --${"-".repeat(90 * KIB)}`;
  assert.equal(await other.ask("EVAL", script, 0, "x".repeat(80 * KIB)), 80 * KIB);
});

/** Sets a value of each size twice, with small requests between them. */
async function writeAll(client: RawClient, name: string): Promise<unknown[]> {
  for (let i = 0; i < PIPELINED; i++) {
    client.send("SET", `${name}:${i}`, valueOf(`${name}:${i}`, i));
    client.send("SET", `${name}:small:${i}`, "v");
  }
  return client.readMany(2 * PIPELINED);
}

async function assertWhole(client: RawClient, writers: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++)
    for (let writer = 0; writer < writers; writer++)
      for (let i = 0; i < PIPELINED; i++) await assertValue(client, `${round}:${writer}:${i}`, i);
}

async function assertValue(client: RawClient, key: string, i: number): Promise<void> {
  const found = String(await client.ask("GET", key));
  assert.equal(digestOf(found), digestOf(valueOf(key, i).toString()), key);
}

/** Recognizable in each part of it. */
function valueOf(key: string, i: number): Buffer {
  return Buffer.alloc(SIZES[i % SIZES.length] ?? 0, `<${key}>`);
}

function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
