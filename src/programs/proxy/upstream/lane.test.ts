import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { LIMITS } from "../limits/limits.ts";
import { ArenaPool } from "./arena.ts";
import { openPermits } from "../../../../test/kit/time/lease.ts";
import { Lane } from "./lane.ts";
import type { LostRequest, Requester } from "./requester.ts";

test("each client gets exactly its own replies, whatever the chunks in which they come", async () => {
  const replies = fc.array(fc.tuple(fc.nat(2), reply()), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(replies, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (script, sizes) => {
      await using opened = await openLane();
      const { lane, engineSide } = opened;
      const owners = [new Owner(), new Owner(), new Owner()] as const;
      for (const [who] of script) push(lane, owners[who as 0 | 1 | 2]);
      const stream = Buffer.concat(script.map(([, bytes]) => bytes));
      for (let at = 0, i = 0; at < stream.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        engineSide.write(stream.subarray(at, at + size));
        at += size;
        await turn();
      }
      await until("all is answered", () => lane.inFlight === 0, { everyMs: 0 });
      owners.forEach((owner, who) => {
        const wanted = Buffer.concat(script.filter(([to]) => to === who).map(([, bytes]) => bytes));
        assert.equal(owner.got.toString("latin1"), wanted.toString("latin1"));
        assert.equal(owner.inFlight, 0);
      });
    }),
    { numRuns: 60 },
  );
});

test("when an engine goes away, each client learns which requests were sent, and whether a reply was cut off", async () => {
  await using opened = await openLane();
  const { lane, engineSide } = opened;
  const [cutOff, waiting, unsent] = [new Owner(), new Owner(), new Owner()];
  push(lane, cutOff);
  push(lane, waiting);
  await turn();
  await turn();
  engineSide.write("$10\r\nhalf");
  await until("half a reply has come", () => cutOff.got.length > 0);
  push(lane, unsent);
  engineSide.destroy();
  lane.destroy();
  await until("the lane is closed", () => lane.closed);
  assert.deepEqual([cutOff.losses, waiting.losses, unsent.losses], [[[true, true]], [[false, true]], [[false, false]]]);
});

test("a refusal is given to its client together with its request, however it is cut", async () => {
  await using opened = await openLane();
  const { lane, engineSide } = opened;
  const owner = new Owner();
  lane.push(owner, 1, PING, 0, PING.length);
  const set = encodeCommand(["SET", "k", "v"]);
  lane.push(owner, 1, set, 0, set.length);
  for (const byte of "+PONG\r\n-READONLY You can't write against a read only replica.\r\n") {
    engineSide.write(byte);
    await turn();
  }
  await until("both are answered", () => lane.inFlight === 0);
  assert.equal(owner.got.toString(), "+PONG\r\n");
  assert.deepEqual(owner.refusals, [[set.toString(), "-READONLY You can't write against a read only replica.\r\n"]]);
});

test("what is left of a reply whose client has gone reaches no other client", async () => {
  await using opened = await openLane();
  const { lane, engineSide } = opened;
  const [leaving, next] = [new Owner(), new Owner()];
  leaving.wantsWholeReplies = true;
  push(lane, leaving);
  push(lane, next);
  engineSide.write("$10\r\nsecret");
  await turn();
  await turn();
  leaving.wantsWholeReplies = false;
  engineSide.write("secr\r\n-ERR no\r\n");
  await until("both are answered", () => lane.inFlight === 0);
  assert.equal(next.got.toString(), "-ERR no\r\n");
});

test("a reply that is collected counts in the budget of the process: its client is cut, and the rest reaches no other", async () => {
  const permits = openPermits();
  await using opened = await openLane(permits);
  const { lane, engineSide } = opened;
  const [greedy, next] = [new Owner(), new Owner()];
  greedy.wantsWholeReplies = true;
  greedy.deliver = () => undefined;
  push(lane, greedy);
  push(lane, next);
  const half = LIMITS.allHeldBytes / 2;
  permits.memory.note({ heldBytes: half, relieve: assert.fail });
  engineSide.write(`$${2 * half}\r\n`);
  for (let sent = 0; sent < 2 * half; sent += MEBIBYTE) engineSide.write(Buffer.alloc(MEBIBYTE, "x"));
  await until("it is cut", () => greedy.cuts.length > 0);
  engineSide.write("\r\n:7\r\n");
  await until("both are answered", () => lane.inFlight === 0);
  assert.equal(next.got.toString(), ":7\r\n");
});

test("memory is used again once all in it is answered", async () => {
  await using opened = await openLane();
  const { lane, engineSide } = opened;
  const owner = new Owner();
  const request = encodeCommand(["ECHO", "x".repeat(1000)]);
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 200; i++) lane.push(owner, 1, request, 0, request.length);
    engineSide.write(Buffer.from(":1\r\n".repeat(200)));
    await until("all is answered", () => lane.inFlight === 0);
  }
  assert.equal(owner.got.length, 1000 * ":1\r\n".length);
});

const MEBIBYTE = 2 ** 20;
const PING = encodeCommand(["PING"]);

class Owner implements Requester {
  readonly client = "127.0.0.1:1";
  inFlight = 0;
  wantsWholeReplies = false;
  got: Buffer = Buffer.alloc(0);
  finishedCount = 0;
  readonly cuts: string[] = [];
  readonly refusals: [string, string][] = [];
  /** Of each loss: whether a reply was cutOff, and whether the first request had been sent. */
  readonly losses: [boolean, boolean | undefined][] = [];

  deliver(bytes: Buffer, start: number, end: number): void {
    this.got = Buffer.concat([this.got, bytes.subarray(start, end)]);
  }

  reply(error: Buffer): void {
    this.deliver(error, 0, error.length);
  }

  finished(count: number): void {
    this.finishedCount += count;
  }

  answered(request: Buffer, answer: Buffer): void {
    this.refusals.push([request.toString(), answer.toString()]);
  }

  cut(why: string): void {
    this.cuts.push(why);
    this.wantsWholeReplies = false;
  }

  settled(): void {
    assert.equal(this.inFlight, 0);
  }

  lost(requests: readonly LostRequest[], cutOff: boolean): void {
    this.losses.push([cutOff, requests[0]?.sent]);
  }
}

function push(lane: Lane, owner: Owner): void {
  lane.push(owner, 1, PING, 0, PING.length);
}

/** A lane, and the other end of its connection. */
async function openLane(permits = openPermits()) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [engineSide] = (await accepted) as [Socket];
  server.close();
  engineSide.setNoDelay(true);
  engineSide.on("error", () => undefined);
  engineSide.resume();
  const lane = new Lane(socket, new ArenaPool(), permits, {
    closed: () => undefined,
    idle: () => undefined,
    drained: () => undefined,
  });
  return {
    lane,
    engineSide,
    [Symbol.asyncDispose]: async () => {
      lane.destroy();
      engineSide.destroy();
      await until("the lane is closed", () => lane.closed);
    },
  };
}

function reply(): fc.Arbitrary<Buffer> {
  const text = fc.string({ maxLength: 12 });
  return fc
    .oneof(
      fc.constantFrom("+OK\r\n", ":12\r\n", "-ERR no\r\n", "$-1\r\n", "*0\r\n", "*2\r\n$1\r\na\r\n:1\r\n"),
      text.map((value) => `$${Buffer.byteLength(value)}\r\n${value}\r\n`),
    )
    .map((bytes) => Buffer.from(bytes));
}
