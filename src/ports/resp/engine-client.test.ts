import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after, before, test } from "node:test";
import { startEngine } from "../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { Fault } from "../../core/base/fault.ts";
import { connectEngine, engineCodeOf } from "./engine-client.ts";
import { faults } from "./faults.ts";
import { engineIdentity, parseInfo } from "./info.ts";
import { textOf } from "./reply.ts";

let engine: TestEngine;
before(async () => {
  engine = await startEngine({ password: "s3cret" });
});
after(async () => {
  await engine.stop();
});

const options = () => ({ host: engine.host, port: engine.port, password: "s3cret", timeoutMs: 2000 });

test("commands sent together are answered in order", async () => {
  const client = await connectEngine(options());
  const replies = await Promise.all([client.call("SET", "k", "v"), client.call("INCR", "n"), client.call("GET", "k")]);
  assert.deepEqual(replies, ["OK", 1, "v"]);
  client.close();
});

test("an error reply carries the engine's own code", async () => {
  const client = await connectEngine(options());
  await client.call("SET", "text", "v");
  const error = await client.call("LPUSH", "text", "x").catch((thrown: unknown) => thrown);
  assert.equal(engineCodeOf(error), "WRONGTYPE");
  assert.equal(await client.call("PING"), "PONG");
  client.close();
});

test("a wrong password is refused, and the message does not hold it", async () => {
  const error = await connectEngine({ ...options(), password: "guess" }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Fault);
  assert.equal(engineCodeOf(error), "WRONGPASS");
  assert.doesNotMatch(JSON.stringify([error.message, error.details]), /guess|s3cret/);
});

test("an engine says which one it is", async () => {
  const client = await connectEngine(options());
  const identity = engineIdentity(parseInfo(textOf(await client.call("INFO", "server"))));
  assert.match(`${identity?.family}-${identity?.version}`, new RegExp(`^${engine.name}`));
  client.close();
});

test("a command without answer fails after its time, and so does all behind it", async () => {
  await using silent = await listen(() => undefined);
  const client = await connectEngine({ ...silent.address, timeoutMs: 50 });
  const [first, second] = await Promise.allSettled([client.call("PING"), client.call("INCR", "n")]);
  assert.deepEqual([codeOf(first), codeOf(second)], [faults.timeout.code, faults.timeout.code]);
  assert.equal((await client.closed).code, faults.timeout.code);
});

test("what is outstanding when the connection ends is never sent again", async () => {
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

test("an aborted signal closes the connection", async () => {
  const stop = new AbortController();
  const client = await connectEngine({ ...options(), signal: stop.signal });
  const blocked = client.call("BLPOP", "nothing", 0);
  stop.abort();
  await assert.rejects(blocked, { code: faults.closed.code });
  await client.closed;
});

test("nobody listening is RESP_CONNECT", async () => {
  const closed = await listen(() => undefined);
  await closed[Symbol.asyncDispose]();
  await assert.rejects(connectEngine({ ...closed.address, timeoutMs: 2000 }), { code: faults.connect.code });
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
