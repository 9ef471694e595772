import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { until } from "../testing/until.ts";
import { capConnections, type ConnectionCaps } from "./connection-caps.ts";

const FLOODER = "127.0.0.9";

/** A server with place for eight, four of an address, and what calls it. */
async function capped(
  answer: RequestListener = (_request, response) => void response.end("done"),
  caps: Partial<ConnectionCaps> = {},
) {
  const server: Server = createServer(answer);
  server.keepAliveTimeout = 60_000;
  const connections = capConnections(server, { total: 8, ofAddress: 4, ...caps });
  server.on("request", ({ url, socket }) => {
    if (url === "/known") connections.keep(socket);
  });
  const host = "127.0.0.1";
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const port = portOf(server);
  const sockets: Socket[] = [];
  const hold = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host, port, localAddress }).on("error", () => undefined);
    sockets.push(socket);
    await once(socket, "connect");
    return socket.resume();
  };
  const ask = async (localAddress: string): Promise<number | undefined> => {
    const sent = request({ host, port, localAddress, agent: false });
    const [response]: IncomingMessage[] = await once(sent.end(), "response");
    response?.resume();
    return response?.statusCode;
  };
  const open = (): number => sockets.filter(({ destroyed }) => !destroyed).length;
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { hold, ask, open, [Symbol.dispose]: end };
}

test("who holds silent connections keeps out no caller of its address, and its oldest ones end", async () => {
  using server = await capped();
  const [first] = [await server.hold(FLOODER)];
  for (let i = 0; i < 10; i++) await server.hold(FLOODER);
  await until("those above the cap are ended", () => server.open() === 4);
  assert.equal(first.destroyed, true);
  assert.equal(await server.ask(FLOODER), 200);
});

test("silent connections of many addresses keep out no other address", async () => {
  using server = await capped();
  for (let i = 0; i < 20; i++) await server.hold(`127.0.1.${(i % 5) + 1}`);
  await until("those above the cap are ended", () => server.open() <= 8);
  assert.equal(await server.ask("127.0.0.8"), 200);
});

test("connections of known callers stay, and one too many is ended", async () => {
  using server = await capped();
  const callers: Socket[] = [];
  for (let i = 0; i < 4; i++) {
    const socket = await server.hold(FLOODER);
    socket.write("GET /known HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(socket, "data");
    callers.push(socket);
  }
  const late = await server.hold(FLOODER);
  await until("the late one is ended", () => late.destroyed);
  assert.deepEqual(
    callers.map(({ destroyed }) => destroyed),
    [false, false, false, false],
  );
});

test("one that has asked stays while one that has not is there", async () => {
  using server = await capped();
  const asked = await server.hold(FLOODER);
  asked.write(QUESTION);
  await once(asked, "data");
  for (let i = 0; i < 10; i++) await server.hold(FLOODER);
  await until("those above the cap are ended", () => server.open() === 4);
  assert.equal(asked.destroyed, false);
});

const QUESTION = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const HALF_A_QUESTION = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{";

for (const [what, sent] of [
  ["have asked", QUESTION],
  ["have asked half of something", HALF_A_QUESTION],
] as const)
  test(`those who ${what} keep out neither another address nor their own`, async () => {
    using server = await capped((incoming, response) => {
      if (incoming.method === "GET") response.end("done");
    });
    for (let i = 0; i < 12; i++) {
      const socket = await server.hold(i % 2 === 0 ? FLOODER : "127.0.0.10");
      socket.write(sent);
      if (sent === QUESTION) await Promise.race([once(socket, "data"), once(socket, "close")]);
    }
    await until("those above the cap are ended", () => server.open() <= 8);
    assert.equal(await server.ask("127.0.0.8"), 200);
    assert.equal(await server.ask(FLOODER), 200);
  });

test("a request that waits for its answer is answered, however many come meanwhile", async () => {
  const asked = Promise.withResolvers<undefined>();
  const mayAnswer = Promise.withResolvers<undefined>();
  using server = await capped((incoming, response) => {
    if (incoming.url !== "/slow") return void response.end("done");
    incoming.resume().once("end", () => {
      asked.resolve(undefined);
      void mayAnswer.promise.then(() => response.end("done"));
    });
  });
  const slow = await server.hold("127.0.0.8");
  slow.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
  await asked.promise;
  for (let i = 0; i < 20; i++) await server.hold(`127.0.1.${(i % 5) + 1}`);
  for (let i = 0; i < 5; i++) await server.hold("127.0.0.8");
  await until("those above the cap are ended", () => server.open() <= 8);
  mayAnswer.resolve(undefined);
  const [answer] = await once(slow, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200/);
});

test("those that wait for answers leave place for a caller that is kept, whose own request stays", async () => {
  let waiting = 0;
  const mayAnswer = Promise.withResolvers<undefined>();
  const wait: RequestListener = (incoming, response) => {
    incoming.resume().once("end", () => {
      waiting += 1;
      void mayAnswer.promise.then(() => response.end("done"));
    });
  };
  using server = await capped(wait, { waiting: 4 });
  const known = await server.hold("127.0.0.8");
  known.write("GET /known HTTP/1.1\r\nhost: x\r\n\r\n");
  for (let i = 1; i <= 20; i++) {
    const user = await server.hold(`127.0.1.${(i % 5) + 1}`);
    user.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    await until("its request waits", () => waiting > i - 1);
  }
  await until("those above the cap are ended", () => server.open() <= 5);
  const next = await server.hold("127.0.0.8");
  next.write("GET /known HTTP/1.1\r\nhost: x\r\n\r\n");
  mayAnswer.resolve(undefined);
  for (const kept of [known, next]) assert.match(String((await once(kept, "data"))[0]), /^HTTP\/1\.1 200/);
});

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}
