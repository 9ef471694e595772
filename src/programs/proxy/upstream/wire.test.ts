import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { Wire } from "./wire.ts";

const WAITING_BYTES = 2 ** 20;
const MOST_IN_A_TURN = 192 * 1024;

test("a connection with much to read lets others have their turn after a part of it", async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(createServer().listen(0, "127.0.0.1"));
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const accepted = once(server, "connection");
  const sender = stack.adopt(connect(port, "127.0.0.1"), (socket) => void socket.destroy());
  const [socket] = (await accepted) as [ReturnType<typeof connect>];
  stack.defer(() => void socket.destroy());
  sender.write(Buffer.alloc(WAITING_BYTES));
  await until("the kernel has all of it", () => sender.writableLength === 0);
  let [inTurn, most, all] = [0, 0, 0];
  const events = { end: () => undefined, closed: () => undefined, drained: () => undefined };
  const wire = new Wire(socket, "nothing", { ...events, data });
  await until("all is read", () => all === WAITING_BYTES);
  assert.ok(most <= MOST_IN_A_TURN, `${most} bytes in one turn`);

  wire.pause();
  sender.write(Buffer.alloc(WAITING_BYTES));
  await until("the kernel has all of it", () => sender.writableLength === 0);
  assert.equal(all, WAITING_BYTES);
  wire.resume();
  await until("all is read after a pause", () => all === 2 * WAITING_BYTES);

  function data(bytes: Buffer): void {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += bytes.length;
    all += bytes.length;
    most = Math.max(most, inTurn);
  }
});
