import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { until } from "#kit/testing/until";
import { systemClock } from "#kit/reconcile/system-clock";
import { Wire } from "../upstream/wire.ts";
import { ClientOutput } from "./client-output.ts";
import { Counters } from "../limits/counters.ts";
import { LIMITS } from "../limits/limits.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";

/** What is read from an engine at once. */
const READ_BYTES = 64 * 1024;
const SIZES = [1, 100, 5_000, 16_384, 60_000, READ_BYTES, 300_000];
const ROUNDS = 120;

const authority = authorityNamed("output");
const { certificate: cert, key } = endpointCertificate(authority, "db");

for (const tls of [false, true])
  test(`output of a client, ${tls ? "with" : "without"} TLS: all arrives as it was written, FIN behind it, and takes no more memory than is counted`, async () => {
    await using opened = await open(tls);
    const { output, client } = opened;
    const [written, arrived] = [createHash("sha256"), createHash("sha256")];
    client.on("data", (bytes: Buffer) => arrived.update(bytes)).pause();
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 20 === 10) client.resume();
      else if (round % 20 === 0) client.pause();
      for (const size of SIZES) {
        const bytes = randomBytes(Math.max(size, READ_BYTES)).subarray(0, size);
        written.update(bytes);
        output.push(bytes);
      }
      assert.ok(output.heldBytes <= output.queuedBytes * 1.3 + 8 * READ_BYTES, `${output.heldBytes} bytes`);
      await turn();
    }
    output.end(undefined);
    client.resume();
    await once(client, "end");
    assert.equal(arrived.digest("hex"), written.digest("hex"));
    await until("nothing is held", () => output.heldBytes === 0);
    assert.equal(opened.drained, true);
  });

for (const tls of [false, true])
  test(`output of a client, ${tls ? "with" : "without"} TLS: a small reply does not keep what was read together with it`, async () => {
    await using opened = await open(tls);
    const { output, client } = opened;
    client.pause();
    while (output.queuedBytes < READ_BYTES) {
      output.push(randomBytes(READ_BYTES));
      await turn();
    }
    const before = output.heldBytes;
    const REPLIES = 10_000;
    const reply = "+OK\r\n";
    for (let i = 0; i < REPLIES; i++) output.push(Buffer.alloc(READ_BYTES, reply).subarray(0, reply.length));
    assert.ok(output.heldBytes - before <= REPLIES * reply.length + READ_BYTES, `${output.heldBytes - before} bytes`);
  });

for (const tls of [false, true])
  test(`output of a client, ${tls ? "with" : "without"} TLS: however much waits for it, little is sent in one turn, and what is little for another goes first`, async () => {
    const budget = new MemoryBudget(LIMITS.allHeldBytes);
    await using slow = await open(tls, budget);
    await using other = await open(tls, budget);
    const { output, client } = slow;
    client.pause();
    for (let i = 0; i < 512; i++) output.push(randomBytes(READ_BYTES));
    const all = output.queuedBytes;
    await until("the kernel takes no more", takesNoMore(output));
    assert.ok(output.queuedBytes > all / 2);
    client.resume();
    let waitedBeside = 0;
    const arrived = once(other.client, "data").then(() => (waitedBeside = output.queuedBytes));
    let most = 0;
    while (output.queuedBytes > 0) {
      const before = output.takenBytes;
      await turn();
      if (before < all / 2 && output.takenBytes >= all / 2) other.output.push(Buffer.from("+OK\r\n"));
      most = Math.max(most, output.takenBytes - before);
    }
    await arrived;
    assert.ok(most <= 4 * READ_BYTES, `${most} bytes in one turn`);
    assert.ok(waitedBeside > all / 4, `${waitedBeside} of ${all} bytes still waited`);
  });

test("output of a client, with TLS: it counts nothing any more when its client is gone while it waits for a later turn", async () => {
  const budget = new MemoryBudget(LIMITS.allHeldBytes);
  await using opened = await open(true, budget);
  const { output, client } = opened;
  client.pause();
  for (let i = 0; i < 64; i++) output.push(randomBytes(READ_BYTES));
  const note = mock.method(budget, "note");
  const { promise: isGone, resolve } = Promise.withResolvers<undefined>();
  const later = budget.turns.later.bind(budget.turns);
  mock.method(budget.turns, "later", (go: () => void) => {
    later(go);
    // before the later turn
    queueMicrotask(() => {
      output.stop();
      note.mock.resetCalls();
      resolve(undefined);
    });
  });
  client.resume();
  await isGone;
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(note.mock.callCount(), 0);
});

/** True when a hundred turns have passed in which nothing was taken. */
function takesNoMore(output: ClientOutput): () => Promise<boolean> {
  return async () => {
    const before = output.takenBytes;
    for (let i = 0; i < 100; i++) await turn();
    return output.takenBytes === before;
  };
}

async function open(tls: boolean, budget = new MemoryBudget(LIMITS.allHeldBytes)) {
  const server: Server = tls ? createTlsServer({ cert, key }) : createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, tls ? "secureConnection" : "connection");
  const client: Socket = tls
    ? connectTls({ port, host: "127.0.0.1", ca: authority.certificate, servername: "db" })
    : connect({ port, host: "127.0.0.1" });
  const [socket] = (await accepted) as [Socket];
  const ignored = { data: () => undefined, end: () => undefined, drained: () => undefined };
  const opened = { client, drained: false };
  const wire = new Wire(socket, "nothing", {
    ...ignored,
    closed: () => {
      output.stop();
    },
  });
  const parts = {
    endpoint: { clock: systemClock, memory: budget, counters: new Counters(), routes: [{ held: false }] as const },
    replyMode: { silent: false },
    life: { ended: false },
    pinned: { pause: () => undefined },
  };
  const output = new ClientOutput(parts, wire, assert.fail, () => (opened.drained = true));
  return Object.assign(opened, {
    output,
    [Symbol.asyncDispose]: async () => {
      for (const end of [client, socket]) end.destroy();
      server.close();
      await once(server, "close");
    },
  });
}
