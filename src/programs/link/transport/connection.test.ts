import assert from "node:assert/strict";
import { test } from "node:test";
import { listening, ownCertificate, type Listening } from "../../../../test/kit/links/listening.ts";
import { isFault } from "#kit/base/fault";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import { faults } from "../faults.ts";
import type { LinkConnection } from "./connection.ts";
import { encodeFrame } from "./frames.ts";
import { answerGreeting, greet, greetedBy, type Greeted } from "./greet.ts";
import { encodeGreeting, encodeRefusal } from "./messages.ts";
import { relay } from "./relay.ts";
import { dialLink } from "./trust.ts";

const INTRODUCTION = { guid: "g", from: 2, to: 1, received: NOTHING, origin: 2 };
const ANSWER = { guid: "g", from: 1, to: 2, received: NOTHING, origin: 1 };
/** What a link of a release that compresses nothing says and answers. */
const PLAIN = encodeGreeting({ ...INTRODUCTION, formats: [1] });
const BODIES = Array.from({ length: 500 }, (_one, at) => Buffer.from(`orders:${at} is ${"value ".repeat(20)}`));

test("what two links say to each other arrives as it was, in a fraction of the bytes", async () => {
  await using scene = await answering(echo);
  const { connection } = await scene.greet();
  await exchange(connection);
  const { bytesRead, bytesWritten } = connection.socket;
  const plain = BODIES.reduce((sum, body) => sum + body.length, 0);
  assert.ok(bytesWritten < plain / 4 && bytesRead < plain / 4, `${bytesWritten} and ${bytesRead} of ${plain} bytes`);
  connection.destroy();
});

test("a node that passes the connection on passes on what is compressed", async () => {
  await using scene = await answering(echo);
  await using between = await listening(async (socket, signal) =>
    relay(await greetedBy(socket), scene.at, ownCertificate, signal),
  );
  const { connection } = await greetAt(between);
  await exchange(connection);
  connection.destroy();
});

test("a link that does not say that it can is written to as it is, and so is one that does not answer that it can", async () => {
  await using scene = await answering(echo);
  const socket = await dialLink(scene.at, ownCertificate, ownCertificate, scene.signal);
  socket.write(PLAIN);
  const { connection, greeting } = await greetedBy(socket);
  assert.equal(greeting.compresses, undefined);
  await exchange(connection);
  connection.destroy();

  await using older = await answering(async (greeted) => {
    await greeted.connection.send(PLAIN);
    await echo(greeted);
  }, false);
  const answered = await older.greet();
  await exchange(answered.connection);
  answered.connection.destroy();
});

test("the last words arrive before the end, compressed too", async () => {
  await using scene = await answering(({ connection }) => {
    connection.end(encodeRefusal("no"));
    return Promise.resolve();
  });
  const { connection } = await scene.greet();
  const kinds = await Array.fromAsync(connection.frames, ({ kind }) => kind);
  assert.deepEqual(kinds, ["refusal"]);
});

test("what is not compressed, though it should be, is LINK_MALFORMED", async () => {
  await using scene = await answering(({ connection }) => {
    connection.socket.write(Buffer.alloc(1_000, 0xff));
    return Promise.resolve();
  });
  const { connection } = await scene.greet();
  await assert.rejects(connection.frames.next(), (error) => isFault(error, faults.malformed));
  connection.destroy();
});

test("who sends to a link that has gone does not wait for it", async () => {
  await using scene = await answering(({ connection }) => {
    connection.destroy();
    return Promise.resolve();
  });
  const { connection } = await scene.greet();
  while (!connection.isClosed) await connection.send(Buffer.alloc(1_000_000));
  await connection.send(Buffer.alloc(1_000_000));
});

async function exchange(connection: LinkConnection): Promise<void> {
  for (const body of BODIES) {
    await connection.send(encodeFrame("operation", body));
    const said = await connection.frames.next();
    assert.deepEqual(said.value, { kind: "operation", body });
  }
}

async function echo({ connection }: Greeted): Promise<void> {
  for await (const { kind, body } of connection.frames) await connection.send(encodeFrame(kind, body));
}

/** A link that answers greetings, unless that is left to `say`, and says so then. */
async function answering(say: (greeted: Greeted) => Promise<void>, greets = true) {
  const server = await listening(async (socket) => {
    const greeted = await greetedBy(socket);
    if (greets) await answerGreeting(greeted, ANSWER);
    await say(greeted);
  });
  return { ...server, greet: () => greetAt(server) };
}

function greetAt({ at, signal }: Listening): Promise<Greeted> {
  const remote = { ...ownCertificate, id: 1, name: "one", address: at };
  return greet(remote, ownCertificate, INTRODUCTION, signal);
}
