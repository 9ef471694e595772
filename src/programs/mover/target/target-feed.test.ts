import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import type { AddressInfo, Socket } from "node:net";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { parseInfo } from "../../../ports/resp/info.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import { until } from "#kit/testing/until";
import { TargetFeed } from "./target-feed.ts";
import { TargetPort } from "./target-port.ts";

const MARK = "m".repeat(40);
const ID = "a".repeat(40);
const EMPTY = Buffer.concat([Buffer.from("REDIS0010"), Buffer.from([255]), Buffer.alloc(8)]);

for (const engine of engineNames())
  test(`${engine} does not find the end of a snapshot that the stream follows at once, and does when the stream waits`, async () => {
    await using started = await startEngine({ engine });
    const fieldOf = async (field: string): Promise<string | undefined> =>
      parseInfo(textOf(await started.call("INFO", "replication"))).get(field);
    const command = encodeCommand(["SET", "key", "value"]);
    const glued = Buffer.concat([EMPTY, Buffer.from(MARK), command]);
    await using primary = await playPrimary((socket) => {
      socket.write(Buffer.concat([Buffer.from(`+FULLRESYNC ${ID} 0\r\n$EOF:${MARK}\r\n`), glued]));
    });
    await started.call("REPLICAOF", "127.0.0.1", primary.port);
    await until("all is read", async () => (await fieldOf("master_sync_read_bytes")) === String(glued.length));
    assert.deepEqual([await fieldOf("master_link_status"), await fieldOf("master_sync_in_progress")], ["down", "1"]);
    const feed = new TargetFeed(1, 1);
    const logins = [{ user: "default", password: "" }];
    const port = await TargetPort.open({ listen: { host: "127.0.0.1", port: 0 }, feed, logins });
    try {
      await started.call("REPLICAOF", "127.0.0.1", port.port);
      await feed.attached();
      feed.snapshot.begin({ id: ID, mark: MARK, version: 10 });
      feed.stream(0, command);
      feed.snapshot.endSource();
      await feed.applied(AbortSignal.timeout(10_000));
      assert.equal(await started.call("GET", "key"), "value");
    } finally {
      port.close();
    }
  });

test("a stream that is kept waits for room, and does not hold up the snapshot that it waits for", async () => {
  await using engine = await startEngine();
  const feed = new TargetFeed(1, 2);
  const logins = [{ user: "default", password: "" }];
  const port = await TargetPort.open({ listen: { host: "127.0.0.1", port: 0 }, feed, logins });
  try {
    await engine.call("REPLICAOF", "127.0.0.1", port.port);
    await feed.attached();
    feed.snapshot.begin({ id: ID, mark: MARK, version: 10 });
    feed.snapshot.endSource();
    const large = encodeCommand(["SET", "large", Buffer.alloc(1_048_576)]);
    for (let n = 0; n < 70; n++) feed.stream(0, large);
    let hasRoom = false;
    const room = feed.room("stream").then(() => {
      hasRoom = true;
    });
    await feed.room("snapshot");
    assert.equal(hasRoom, false);
    feed.snapshot.endSource();
    await room;
    await feed.applied(AbortSignal.timeout(10_000));
    assert.equal(await engine.call("STRLEN", "large"), 1_048_576);
  } finally {
    port.close();
  }
});

test("empty lines, which a replica sends while it loads its data, are no commands", async () => {
  const feed = new TargetFeed(1, 1);
  const logins = [{ user: "default", password: "" }];
  const port = await TargetPort.open({ listen: { host: "127.0.0.1", port: 0 }, feed, logins });
  const replica = connect(port.port, "127.0.0.1");
  try {
    replica.write(encodeCommand(["PSYNC", "?", "-1"]));
    await feed.attached();
    replica.write(Buffer.concat([Buffer.from("\n\n"), encodeCommand(["REPLCONF", "ACK", "5"]), Buffer.from("\n")]));
    replica.write(encodeCommand(["REPLCONF", "ACK", "7"]));
    await until("what it has applied is known", () => {
      assert.notEqual(feed.status.state, "over");
      return feed.status.applied === 7;
    });
  } finally {
    replica.destroy();
    port.close();
  }
});

test("all is applied once the engine has what was passed on before, without what the mover has asked since", async () => {
  const feed = new TargetFeed(1, 1);
  const logins = [{ user: "default", password: "" }];
  const port = await TargetPort.open({ listen: { host: "127.0.0.1", port: 0 }, feed, logins });
  const replica = connect(port.port, "127.0.0.1").resume();
  try {
    replica.write(encodeCommand(["PSYNC", "?", "-1"]));
    await feed.attached();
    feed.snapshot.begin({ id: ID, mark: MARK, version: 10 });
    feed.snapshot.endSource();
    replica.write(encodeCommand(["REPLCONF", "ACK", "0"]));
    await until("it follows", () => feed.status.state === "following");
    feed.stream(0, encodeCommand(["SET", "key", "value"]));
    const { sent } = feed.status;
    const applied = feed.applied(AbortSignal.timeout(10_000));
    replica.write(encodeCommand(["REPLCONF", "ACK", String(sent)]));
    await applied;
    assert.ok(feed.status.sent > sent);
  } finally {
    replica.destroy();
    port.close();
  }
});

/** Answers a replica as a primary does, up to its data. */
async function playPrimary(synchronise: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      if (text.includes("PSYNC")) synchronise(socket);
      else socket.write(text.includes("PING") ? "+PONG\r\n" : "+OK\r\n".repeat(text.split("REPLCONF").length - 1));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
