import assert from "node:assert/strict";
import { connect, createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { startEngine, type TestEngine } from "../../../test/kit/engines/engine.ts";
import { startAll } from "../../../test/kit/engines/start-all.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";
import { MoverProcess } from "../../../test/kit/mover/mover-process.ts";

/** Waits until the move has failed; the code of the fault. */
async function failureOf({ mover }: MovedShards): Promise<string> {
  await until("the move has failed", async () => (await mover.status()).failure !== undefined);
  return (await mover.status()).failure?.code ?? "";
}

/** Two shards that become one. */
async function begin(): Promise<{ readonly sources: readonly TestEngine[]; readonly moved: MovedShards }> {
  const sources = await startAll(startEngine(), startEngine());
  return { sources, moved: await MovedShards.begin(sources, { targets: 1 }) };
}

for (const [what, code, act] of [
  ["a source ends", "MOVER_SOURCE_GONE", ({ sources }: MovedShards) => sources[1]?.stop()],
  ["a target ends", "MOVER_TARGET_GONE", ({ targets }: MovedShards) => targets[0]?.stop()],
  [
    "a part of what becomes one shard is emptied",
    "MOVER_FLUSHED",
    ({ sources }: MovedShards) => sources[1]?.call("FLUSHALL"),
  ],
] as const)
  test(`a move fails when ${what}, and leaves the sources as they are`, async () => {
    const { sources, moved } = await begin();
    try {
      await moved.following();
      await act(moved);
      assert.equal(await failureOf(moved), code);
      const reply = await moved.mover.send({
        op: "reach",
        sources: [1, 2].map((id) => ({ id, offset: 0 })),
        withinMs: 5_000,
      });
      assert.equal(!reply.ok && reply.code, code);
      assert.equal(await sources[0]?.call("SET", "key", "value"), "OK");
    } finally {
      await moved[Symbol.asyncDispose]();
      await Promise.all(sources.map((source) => source.stop()));
    }
  });

test("a mover that is killed leaves nothing behind, and another one begins anew with the same engines", async () => {
  const { sources, moved } = await begin();
  try {
    await sources[0]?.call("SET", "{b}gone", "value");
    await moved.following();
    await moved.mover[Symbol.asyncDispose]();
    await sources[0]?.call("DEL", "{b}gone");
    await sources[0]?.call("SET", "b", "value");
    await using again = new MovedShards(sources, moved.targets, await MoverProcess.start());
    await again.attach();
    await again.following();
    await sources[1]?.call("SET", "a", "value");
    await again.finish();
    assert.deepEqual(await moved.targets[0]?.call("MGET", "a", "b", "{b}gone"), ["value", "value", null]);
  } finally {
    await moved[Symbol.asyncDispose]();
    await Promise.all(sources.map((source) => source.stop()));
  }
});

test("a place that no source has written is not reached, and the move goes on", async () => {
  const { sources, moved } = await begin();
  try {
    await moved.following();
    const beyond = [1, 2].map((id) => ({ id, offset: 1_000_000_000 }));
    const late = await moved.mover.send({ op: "reach", sources: beyond, withinMs: 100 });
    assert.equal(!late.ok && late.code, "MOVER_NOT_REACHED");
    await sources[1]?.call("SET", "key", "value");
    await moved.finish();
    assert.equal(await moved.targets[0]?.call("GET", "key"), "value");
  } finally {
    await moved[Symbol.asyncDispose]();
    await Promise.all(sources.map((source) => source.stop()));
  }
});

test("commands that do not fit are refused with a reason", async () => {
  await using mover = await MoverProcess.start();
  const before = await mover.send({ op: "status" });
  assert.equal(!before.ok && before.code, "MOVER_BAD_COMMAND");
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const targets = [{ id: 1, listen: { host: "127.0.0.1", port }, slots: [] }];
  const refused = await mover.send({ op: "begin", bdb: 1, sources: [], targets, logins: [] });
  assert.equal(!refused.ok && refused.code, "MOVER_CANNOT_LISTEN");
  taken.close();
});

test("who has no password of the engines gets nothing, and keeps no engine from its data", async () => {
  await using source = await startEngine({ password: "secret" });
  await using target = await startEngine({ password: "secret" });
  await using mover = await MoverProcess.start();
  const all = [{ from: 0, to: 16_383 }];
  const reply = await mover.send({
    op: "begin",
    bdb: 1,
    sources: [{ id: 1, primary: { host: source.host, port: source.port }, slots: all }],
    targets: [{ id: 2, listen: { host: "127.0.0.1", port: 0 }, slots: all }],
    logins: [{ user: "default", password: "secret" }],
  });
  assert.ok(reply.ok && reply.op === "begin");
  const [port = 0] = reply.ports;
  assert.match(await ask(port, "*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n"), /^-NOAUTH/);
  assert.match(await ask(port, "*2\r\n$4\r\nAUTH\r\n$5\r\nwrong\r\n"), /^-WRONGPASS/);
  assert.equal(await ask(port, "+nonsense\r\n"), "");
  await source.call("SET", "key", "value");
  await target.call("CONFIG", "SET", "masterauth", "secret");
  await target.call("REPLICAOF", "127.0.0.1", port);
  await until("the target follows", async () => (await mover.status()).targets[0]?.state === "following");
  assert.equal(await target.call("GET", "key"), "value");
});

/** What the port answers, up to the first reply or its end. */
async function ask(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(request);
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes.toString();
    socket.destroy();
  });
  await once(socket, "close");
  return answer;
}
