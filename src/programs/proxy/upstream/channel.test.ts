import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { Channel, ChannelEvents } from "./channel.ts";
import { HandleChannel } from "./handle-channel.ts";
import { SocketChannel } from "./socket-channel.ts";

const KINDS = {
  "a handle that shares memory": (socket: Socket, events: ChannelEvents) =>
    made(HandleChannel.of(socket, events, "shared")),
  "a handle with memory of its own": (socket: Socket, events: ChannelEvents) =>
    made(HandleChannel.of(socket, events, "own")),
  "a handle": (socket: Socket, events: ChannelEvents) => made(HandleChannel.of(socket, events, "nothing")),
  "a documented socket": (socket: Socket, events: ChannelEvents) => new SocketChannel(socket, events),
};
const MUCH = 16 * 2 ** 20;

for (const [kind, make] of Object.entries(KINDS)) {
  test(`${kind}: everything that the peer sends arrives, in order`, async () => {
    await using pair = await opened(make);
    const sent = randomBytes(MUCH);
    pair.peer.write(sent);
    await until("all has arrived", () => pair.seen.bytes === MUCH);
    assert.ok(Buffer.concat(pair.seen.chunks).equals(sent));
  });

  test(`${kind}: nothing arrives while it is not read`, async () => {
    await using pair = await opened(make);
    pair.channel.stopReading();
    pair.peer.write(Buffer.alloc(MUCH));
    await until("the kernel has no more room", () => pair.peer.writableLength > 0);
    const before = pair.seen.bytes;
    await new Promise(setImmediate);
    assert.equal(pair.seen.bytes, before);
    pair.channel.read();
    await until("all has arrived", () => pair.seen.bytes === MUCH);
  });

  test(`${kind}: what the kernel does not take at once is queued, and said to be taken in order`, async () => {
    await using pair = await opened(make);
    assert.equal(pair.channel.write(Buffer.from("+OK\r\n"), assert.fail), "taken");
    assert.equal(pair.channel.queuedBytes, 0);
    const parts = [randomBytes(MUCH), randomBytes(MUCH), Buffer.from("end")];
    const taken: number[] = [];
    for (const [index, part] of parts.entries())
      assert.equal(
        pair.channel.write(part, () => taken.push(index)),
        "queued",
      );
    assert.ok(pair.channel.queuedBytes > 0);
    const chunks: Buffer[] = [];
    pair.peer.on("data", (bytes: Buffer) => chunks.push(bytes));
    await until("all is taken", () => taken.length === parts.length && pair.channel.queuedBytes === 0);
    assert.deepEqual(taken, [0, 1, 2]);
    await until("it is said once that nothing is queued", () => pair.seen.drained === 1);
    pair.channel.halfClose();
    await once(pair.peer, "end");
    assert.ok(Buffer.concat(chunks).equals(Buffer.concat([Buffer.from("+OK\r\n"), ...parts])));
  });

  test(`${kind}: it is closed when both sides have said that they send no more, the peer first or not`, async () => {
    for (const first of ["peer", "channel"]) {
      await using pair = await opened(make);
      pair.peer.resume();
      const ends = { peer: () => pair.peer.end(), channel: () => pair.channel.halfClose() };
      if (first === "peer") ends.peer();
      else ends.channel();
      if (first === "peer") await until("the end is seen", () => pair.seen.ended);
      else await once(pair.peer, "end");
      assert.equal(pair.seen.closed, 0);
      if (first === "peer") ends.channel();
      else ends.peer();
      await until("it is closed", () => pair.seen.closed === 1);
      assert.equal(pair.channel.write(Buffer.from("late"), assert.fail), "ended");
    }
  });

  test(`${kind}: a peer that resets the connection closes it`, async () => {
    await using pair = await opened(make);
    pair.peer.resetAndDestroy();
    await until("it is closed", () => pair.seen.closed === 1);
    assert.equal(pair.channel.write(Buffer.from("late"), assert.fail), "ended");
  });

  test(`${kind}: the peer sees a reset, or an end`, async () => {
    await using reset = await opened(make);
    reset.channel.write(Buffer.alloc(MUCH), assert.fail);
    reset.channel.reset();
    const [error] = (await once(reset.peer, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNRESET");
    await using ended = await opened(make);
    ended.peer.resume();
    ended.channel.destroy();
    await once(ended.peer, "end");
    await until("it is closed", () => ended.seen.closed === 1);
  });
}

async function opened(make: (socket: Socket, events: ChannelEvents) => Channel) {
  await using stack = new AsyncDisposableStack();
  const seen = { chunks: [] as Buffer[], bytes: 0, drained: 0, closed: 0, ended: false };
  const made = Promise.withResolvers<Channel>();
  const server = stack.use(createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1"));
  server.once("connection", (socket: Socket) => {
    stack.defer(() => void socket.destroy());
    const events: ChannelEvents = {
      data: (bytes, length) => {
        seen.chunks.push(Buffer.from(bytes.subarray(0, length)));
        seen.bytes += length;
      },
      end: () => (seen.ended = true),
      closed: () => seen.closed++,
      drained: () => seen.drained++,
    };
    made.resolve(make(socket, events));
  });
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const peer = stack.adopt(
    connect({ port, host: "127.0.0.1", allowHalfOpen: true }),
    (socket) => void socket.destroy(),
  );
  const channel = await made.promise;
  const owned = stack.move();
  return { peer, channel, seen, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function made(channel: HandleChannel | undefined): HandleChannel {
  assert.ok(channel, "this version of Node.js is not one that the product is made for");
  return channel;
}
