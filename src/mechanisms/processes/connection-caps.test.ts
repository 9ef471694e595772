import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { loopbackAddress } from "../../../test/kit/engines/engine.ts";
import { until } from "../../../test/kit/time/until.ts";
import { capConnections } from "./connection-caps.ts";

const PORT = 18_080;
const FLOODER = "127.0.0.9";

/** A server with place for eight, four of an address, and what calls it. */
async function capped() {
  const server: Server = createServer((_request, response) => response.end("done"));
  server.keepAliveTimeout = 60_000;
  capConnections(server, { total: 8, ofAddress: 4 });
  const host = loopbackAddress();
  await new Promise<void>((resolve) => server.listen(PORT, host, resolve));
  const sockets: Socket[] = [];
  const hold = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host, port: PORT, localAddress }).on("error", () => undefined);
    sockets.push(socket);
    await once(socket, "connect");
    return socket.resume();
  };
  const ask = async (localAddress: string): Promise<number | undefined> => {
    const sent = request({ host, port: PORT, localAddress, agent: false });
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

test("a connection that has asked something stays, and one too many is ended", async () => {
  using server = await capped();
  const callers: Socket[] = [];
  for (let i = 0; i < 4; i++) {
    const socket = await server.hold(FLOODER);
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
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
