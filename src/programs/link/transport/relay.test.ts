import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { listening, ownCertificate } from "../../../../test/kit/links/listening.ts";
import { greetedBy } from "./greet.ts";
import { encodeMessage } from "./messages.ts";
import { relay } from "./relay.ts";
import { dialLink } from "./trust.ts";

const GREETING = encodeMessage("greeting", { guid: "g", from: 2, to: 1, formats: [1], received: {}, origin: 2 });
const SENT = Buffer.alloc(8_000_000, "x");

test("what a link has sent before it ends arrives through a node that passes it on, however slowly it is read", async () => {
  await using scene = await relaying((socket) => void socket.once("data", () => socket.end(SENT)));
  const client = await scene.dial();
  client.write(GREETING);
  let received = 0;
  for await (const bytes of client) {
    received += (bytes as Buffer).length;
    await sleep(1);
  }
  assert.equal(received, SENT.length);
});

test("each end learns that the other one has gone", async () => {
  const arrived = Promise.withResolvers<TLSSocket>();
  await using scene = await relaying((socket) => void socket.once("data", () => arrived.resolve(socket)));
  const client = await scene.dial();
  client.write(GREETING);
  const further = await arrived.promise;
  const gone = once(further, "close");
  client.destroy();
  await gone;
});

/** A node without the primary, and one with it, which answers so. */
async function relaying(answer: (socket: TLSSocket) => void) {
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await listening((socket) => Promise.resolve(answer(socket))));
  const node = stack.use(
    await listening(async (socket, signal) => relay(await greetedBy(socket), primary.at, ownCertificate, signal)),
  );
  const owned = stack.move();
  return {
    dial: () => dialLink(node.at, ownCertificate, ownCertificate, node.signal),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
