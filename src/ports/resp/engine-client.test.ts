import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { loopbackAddress, startEngine } from "../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { sharing } from "../../../test/kit/engines/shared.ts";
import { Fault } from "#kit/base/fault";
import { connectEngine, engineCodeOf } from "./engine-client.ts";
import { faults } from "./faults.ts";
import { reportedEngine, parseInfo } from "./info.ts";
import { textOf } from "./reply.ts";

const MEBIBYTE = 1024 * 1024;

const test = sharing(() => startEngine({ password: "s3cret" }));

const optionsFor = ({ host, port }: TestEngine) => ({ host, port, password: "s3cret", timeoutMs: 2000 });

test("commands sent together are answered in order", async (engine) => {
  const client = await connectEngine(optionsFor(engine));
  const replies = await Promise.all([client.call("SET", "k", "v"), client.call("INCR", "n"), client.call("GET", "k")]);
  assert.deepEqual(replies, ["OK", 1, "v"]);
  client.close();
});

test("an error reply carries the engine's own code", async (engine) => {
  const client = await connectEngine(optionsFor(engine));
  await client.call("SET", "text", "v");
  const error = await client.call("LPUSH", "text", "x").catch((thrown: unknown) => thrown);
  assert.equal(engineCodeOf(error), "WRONGTYPE");
  assert.equal(await client.call("PING"), "PONG");
  client.close();
});

test("a wrong password is refused, and the message does not hold it", async (engine) => {
  const error = await connectEngine({ ...optionsFor(engine), password: "guess" }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Fault);
  assert.equal(engineCodeOf(error), "WRONGPASS");
  assert.doesNotMatch(JSON.stringify([error.message, error.details]), /guess|s3cret/);
});

test("an engine reports family and version", async (engine) => {
  const client = await connectEngine(optionsFor(engine));
  const identity = reportedEngine(parseInfo(textOf(await client.call("INFO", "server"))));
  assert.match(`${identity?.family}-${identity?.version}`, new RegExp(`^${engine.name}`));
  client.close();
});

test("a command without reply fails after its timeout, and so do those behind it", async () => {
  await using silent = await listen(() => undefined);
  const client = await connectEngine({ ...silent.address, timeoutMs: 50 });
  const [first, second] = await Promise.allSettled([client.call("PING"), client.call("INCR", "n")]);
  assert.deepEqual([codeOf(first), codeOf(second)], [faults.timeout.code, faults.timeout.code]);
  assert.equal((await client.closed).code, faults.timeout.code);
});

test("a command that is outstanding when the connection ends is not sent again", async () => {
  let connections = 0;
  await using rude = await listen((socket) => {
    connections++;
    socket.once("data", () => socket.destroy());
  });
  const client = await connectEngine({ ...rude.address, timeoutMs: 2000 });
  await assert.rejects(client.call("INCR", "n"), { code: faults.closed.code });
  await assert.rejects(client.call("INCR", "n"), { code: faults.closed.code });
  assert.equal(connections, 1);
});

test("an aborted signal closes the connection", async (engine) => {
  const stop = new AbortController();
  const client = await connectEngine({ ...optionsFor(engine), signal: stop.signal });
  const blocked = client.call("BLPOP", "nothing", 0);
  stop.abort();
  await assert.rejects(blocked, { code: faults.closed.code });
  await client.closed;
});

test("a port without listener is RESP_CONNECT", async () => {
  const address = { host: loopbackAddress(), port: 6379 };
  await assert.rejects(connectEngine({ ...address, timeoutMs: 2000 }), { code: faults.connect.code });
});

for (const [what, reply] of [
  ["announces more than an engine says of itself", "$1000000000\r\n"],
  ["sends a text without end", `+${"x".repeat(33 * MEBIBYTE)}`],
] as const)
  test(`a peer that ${what} is cut before its end`, async () => {
    await using hostile = await listen((socket) => socket.once("data", () => socket.write(reply)));
    const client = await connectEngine({ ...hostile.address, timeoutMs: 60_000 });
    const error = await client.call("INFO").catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Fault);
    assert.equal(error.code, faults.tooLarge.code);
  });

test("data of clients may be larger, and a long error is cut", async () => {
  const value = 33 * MEBIBYTE;
  await using peer = await listen((socket) => {
    socket.once("data", () => {
      socket.write(`-ERR ${"x".repeat(100_000)}\r\n$${value}\r\n${"x".repeat(value)}\r\n`);
    });
  });
  const client = await connectEngine({ ...peer.address, timeoutMs: 60_000, bulk: "bytes" });
  const [error, bytes] = await client.callAll([["INFO"], ["GET", "k"]], "utf8");
  assert.ok(error instanceof Fault && error.message.length < 5_000);
  assert.ok(bytes instanceof Uint8Array && bytes.length === value);
  client.close();
});

test("a peer that does not speak RESP is RESP_MALFORMED", async () => {
  await using web = await listen((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const client = await connectEngine({ ...web.address, timeoutMs: 2000 });
  assert.equal((await client.closed).code, faults.malformed.code);
});

function codeOf(outcome: PromiseSettledResult<unknown> | undefined): unknown {
  return outcome?.status === "rejected" && outcome.reason instanceof Fault ? outcome.reason.code : outcome;
}

async function listen(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: "127.0.0.1", port },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
