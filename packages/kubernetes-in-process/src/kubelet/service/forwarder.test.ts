import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { silentLog } from "../../../../controller-kit/src/base/log.ts";
import { createForwarder } from "./forwarder.ts";
import type { TcpAddress } from "./address.ts";

const HOST = `127.${1 + Math.floor(Math.random() * 19)}.9.9`;

test("connections go to the backends in turn", async () => {
  await using scene = new Scene();
  const backends = await Promise.all(["a", "b"].map((name) => scene.backend((socket) => socket.end(name))));
  const listen = await scene.serve(backends);
  const said = [await ask(listen), await ask(listen), await ask(listen), await ask(listen)];
  assert.deepEqual(said.toSorted(), ["a", "a", "b", "b"]);
});

test("a backend that refuses is passed over", async () => {
  await using scene = new Scene();
  const listen = await scene.serve([await absent(), await scene.backend((socket) => socket.end("alive"))]);
  assert.equal(await ask(listen), "alive");
  assert.equal(await ask(listen), "alive");
});

test("the end of the client's direction is passed on after its data, and the answer still flows", async () => {
  await using scene = new Scene();
  const echo = await scene.backend((socket) => {
    void text(socket).then((all) => socket.end(`got ${all.length}`));
  });
  const socket = connect({ ...(await scene.serve([echo])), allowHalfOpen: true });
  socket.end("x".repeat(1_000_000));
  assert.equal(await text(socket), "got 1000000");
});

test("the end of the backend's direction is passed on, and the client can still send", async () => {
  await using scene = new Scene();
  const received = Promise.withResolvers<string>();
  const greeter = await scene.backend((socket) => {
    socket.end("bye");
    void text(socket).then(received.resolve);
  });
  const socket = connect({ ...(await scene.serve([greeter])), allowHalfOpen: true });
  assert.equal(await text(socket), "bye");
  socket.end("late words");
  assert.equal(await received.promise, "late words");
});

test("a reset of the backend resets the client", async () => {
  await using scene = new Scene();
  const listen = await scene.serve([
    await scene.backend((socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    }),
  ]);
  const socket = connect(listen);
  socket.write("hello");
  const [error] = await once(socket, "error").catch((thrown: unknown) => [thrown]);
  assert.match(String(error), /ECONNRESET/);
});

test("a reader that stands still holds the writer up instead of filling memory", async () => {
  await using scene = new Scene();
  let written = 0;
  const source = await scene.backend((socket) => {
    const chunk = Buffer.alloc(64 * 1024);
    const more = (): void => {
      while (socket.write(chunk));
      socket.once("drain", more);
    };
    more();
    const watch = setInterval(() => (written = socket.bytesWritten), 10);
    socket.once("close", () => {
      clearInterval(watch);
    });
  });
  const socket = connect(await scene.serve([source]));
  socket.pause();
  await stable(() => written);
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken from a writer whose reader stands still`);
  socket.destroy();
});

test("an address without backends refuses, and serves once it has one", async () => {
  await using scene = new Scene();
  const listen = { host: HOST, port: await freePort() };
  await scene.forwarder.configure([{ listen, backends: [] }]);
  await assert.rejects(ask(listen), /ECONNREFUSED/);
  await scene.forwarder.configure([{ listen, backends: [await scene.backend((socket) => socket.end("here"))] }]);
  assert.equal(await ask(listen), "here");
});

test("connections stay when their backend leaves the table", async () => {
  await using scene = new Scene();
  const echo = await scene.backend((socket) => socket.pipe(socket));
  const listen = await scene.serve([echo]);
  const socket = connect(listen);
  socket.write("before");
  assert.equal(String((await once(socket, "data"))[0]), "before");
  await scene.forwarder.configure([]);
  socket.write("after");
  assert.equal(String((await once(socket, "data"))[0]), "after");
  socket.destroy();
});

/** A forwarder and its backends, which close with it. */
class Scene implements AsyncDisposable {
  readonly forwarder = createForwarder(silentLog);
  readonly #servers: Server[] = [];

  async serve(backends: readonly TcpAddress[]): Promise<TcpAddress> {
    const listen = { host: HOST, port: await freePort() };
    await this.forwarder.configure([{ listen, backends }]);
    return listen;
  }

  async backend(onConnection: (socket: Socket) => void): Promise<TcpAddress> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined); // what the other side did is checked there
      onConnection(socket);
    });
    this.#servers.push(server);
    return { host: HOST, port: await listening(server) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.forwarder.close();
    for (const server of this.#servers) server.close();
  }
}

async function absent(): Promise<TcpAddress> {
  return { host: HOST, port: await freePort() };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, "close");
  return port;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, HOST);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function ask(address: TcpAddress): Promise<string> {
  return text(connect(address));
}

async function stable(read: () => number): Promise<void> {
  for (let last = -1; last !== read() || last === 0;) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
