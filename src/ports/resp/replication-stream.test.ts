import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine, type TestEngine } from "../../../test/kit/engines/engine.ts";
import { Fault } from "#kit/base/fault";
import { argumentsOf } from "./command-frame.ts";
import { faults } from "./faults.ts";
import type { StreamPosition } from "./replica-handshake.ts";
import { openReplicationStream, type StreamCommand } from "./replication-stream.ts";

const PASSWORD = "s3cret";

for (const name of engineNames()) {
  test(`${name}: what it executes comes as effects, in order and with its place in the stream`, async () => {
    await using engine = await startWithData(name);
    await using stream = await follow(engine);
    assert.equal(stream.resumed, false);
    await engine.call("SET", "k", "v", "EX", "1000");
    await engine.call("EVAL", "redis.call('INCR', 'n') redis.call('SADD', 's', 'm') return 1", "0");
    await engine.call("SADD", "s", "m");
    await engine.call("SET", Buffer.from([0xff, 0x00, 0x0a]), "x".repeat(300_000));
    await engine.call("GETDEL", "k");
    const seen: (readonly string[])[] = [];
    let offset = 0;
    while (!["DEL", "UNLINK"].includes(seen.at(-1)?.[0] ?? "")) {
      const command = await stream.next();
      assert.ok(command.offset > offset && command.database === 0);
      offset = command.offset;
      seen.push(argumentsOf(command.frame));
    }
    const [set = [], ...others] = seen;
    assert.deepEqual(
      [...set.slice(0, 4), Math.abs(Number(set[4]) - Date.now() - 1_000_000) < 60_000],
      ["SET", "k", "v", "PXAT", true],
    );
    assert.deepEqual(
      others.map((args) => args.map((arg) => (arg.length > 1_000 ? arg.length : arg.toLowerCase()))).slice(0, 5),
      [["multi"], ["incr", "n"], ["sadd", "s", "m"], ["exec"], ["set", "\u00ff\0\n", 300_000]],
    );
    assert.equal(offset, (await engine.replication()).offset);
  });

  test(`${name}: after a cut the stream goes on where it was left`, async () => {
    await using engine = await startWithData(name);
    let place: StreamPosition;
    {
      await using stream = await follow(engine);
      await engine.call("SET", "a", "1");
      place = await stream.next();
    }
    await engine.call("SET", "b", "2");
    await using again = await follow(engine, place);
    assert.ok(again.resumed);
    assert.deepEqual(argumentsOf((await again.next()).frame).slice(0, 3), ["SET", "b", "2"]);
  });

  test(`${name}: a place of another engine is not resumed, and the stream begins at present`, async () => {
    await using engine = await startWithData(name);
    await using stream = await follow(engine, { replicationId: "f".repeat(40), offset: 1, database: 0 });
    assert.ok(!stream.resumed);
  });
}

test("a stream with much to read lets everything else have its turn after each part", async () => {
  await using engine = await startWithData(engineNames()[0] ?? "");
  const stopping = new AbortController();
  using stack = new DisposableStack();
  stack.defer(() => stopping.abort());
  const { commands } = await openAt(engine, stopping.signal);
  await engine.call("EVAL", "for i = 1, 50000 do redis.call('SET', 'key:' .. i, 'value') end", "0");
  await engine.call("SET", "last", "1");
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (!stopping.signal.aborted) setImmediate(turn);
  };
  turn();
  const seen: number[] = [];
  for await (const part of commands) {
    seen.push(turns);
    if (part.some(({ frame }) => argumentsOf(frame)[1] === "last")) break;
  }
  assert.ok(seen.length > 4, `${seen.length} parts`);
  assert.equal(new Set(seen).size, seen.length, seen.join());
});

test("a stream that the engine ends fails with RESP_CLOSED, and a wrong password with the engine's answer", async () => {
  await using engine = await startWithData(engineNames()[0] ?? "");
  await using stream = await follow(engine);
  await engine.stop();
  await assert.rejects(stream.next(), (error: unknown) => error instanceof Fault && error.code === faults.closed.code);
  await using other = await startWithData(engineNames()[0] ?? "");
  await assert.rejects(follow(other, undefined, "guess"), /WRONGPASS/);
});

test("a stream that its signal ends ends without an error", async () => {
  await using engine = await startWithData(engineNames()[0] ?? "");
  const stopping = new AbortController();
  const { commands } = await openAt(engine, stopping.signal);
  const next = commands.next();
  stopping.abort();
  assert.deepEqual(await next, { done: true, value: undefined });
});

async function startWithData(engine: string): Promise<TestEngine> {
  // a ping is a part of the stream that no command of a test has made
  const args = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "3600"];
  const started = await startEngine({ engine, password: PASSWORD, args });
  await started.call("MSET", ...Array.from({ length: 200 }, (_, i) => [`key:${i}`, "v".repeat(1_000)]).flat());
  return started;
}

function openAt({ host, port }: TestEngine, signal: AbortSignal, from?: StreamPosition, password = PASSWORD) {
  return openReplicationStream({ host, port, password, timeoutMs: 5_000, from, signal });
}

async function follow(engine: TestEngine, from?: StreamPosition, password = PASSWORD) {
  const stopping = new AbortController();
  const { resumed, commands } = await openAt(engine, stopping.signal, from, password);
  let arrived: readonly StreamCommand[] = [];
  return {
    resumed,
    async next(): Promise<StreamCommand> {
      while (arrived.length === 0) {
        const { done, value } = await commands.next();
        if (done === true) throw new Error("the stream has ended");
        arrived = value;
      }
      const [first, ...others] = arrived;
      arrived = others;
      if (first === undefined) throw new Error("nothing has arrived");
      return first;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await commands.return(undefined);
    },
  };
}
