import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { memoryOf } from "../../../../test/kit/facts/memory.ts";
import { until } from "#kit/testing/until";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { endpointSettings } from "../../../core/api/settings/effects.ts";

const READERS = 8;
const VALUE_BYTES = 100 * 2 ** 20;
const PROGRESS_BYTES = 64 * 1024;
/** A proxy without clients takes about 110, and its budget is 128; the rest is what has not been collected yet. A node leaves 512 for it. */
const ROOM_MIB = 420;

const authority = authorityNamed("slow");
const trusting = { ca: authority.certificate, servername: "db" };

for (const tlsMode of ["disabled", "enabled"] as const)
  test(`tls ${tlsMode}: clients that do not read their replies cost a proxy no more than its budget, and those who read are served`, async () => {
    const settings = endpointSettings(settingsWith({ tlsMode }));
    await using served = await Served.start({ settings, certificate: endpointCertificate(authority, "db") });
    await served.primary.call("SETRANGE", "large", VALUE_BYTES - 1, "x");
    const { listen } = served.endpoint;
    await using readers = await slowReaders(() =>
      tlsMode === "disabled" ? connect(listen) : connectTls({ ...listen, ...trusting }),
    );
    const modest = await (tlsMode === "disabled" ? served.client() : RawClient.connectTls(listen, trusting));
    for (const reader of readers.sockets) reader.write("GET large\r\n");
    const areCut = async (): Promise<boolean> => {
      assert.equal(await modest.ask("PING"), "PONG");
      return (await served.proxy.stats()).cut >= READERS - 3;
    };
    await until("all but a few are cut", areCut, { withinMs: 60_000 });
    const peak = memoryOf(served.proxy.pid)?.most ?? 0;
    assert.ok(peak < ROOM_MIB, `${peak} MiB`);
    assert.equal(await modest.ask("STRLEN", "large"), VALUE_BYTES);
  });

test("a client that does not read what its script returned keeps no other one waiting for a script", async () => {
  await using served = await Served.start();
  await served.primary.call("SETRANGE", "large", VALUE_BYTES / 10, "x");
  const socket = connect(served.endpoint.listen);
  using _slow = { [Symbol.dispose]: () => socket.destroy() };
  await once(socket.pause(), "connect");
  socket.write(encodeCommand(["EVAL", "return redis.call('GET', 'large')", 0]));
  const isAnswered = async (): Promise<boolean> => ((await served.proxy.stats()).counted?.sentBytes ?? 0) > 0;
  await until("its reply is there", isAnswered);
  const modest = await served.client();
  await until("the other one has its answer", async () => (await modest.ask("EVAL", "return 1", 0)) === 1);
});

test("a client with a connection of its own that does not read its replies holds up no move", async () => {
  await using served = await Served.start();
  await served.primary.call("SETRANGE", "large", 4 * 2 ** 20, "x");
  const client = await served.client();
  assert.equal(await client.ask("WATCH", "any"), "OK");
  client.pause();
  for (let i = 0; i < 8; i++) client.send("GET", "large");
  await until("it gets more than it reads", async () => (await served.proxy.stats()).inFlight > 0);
  await done(served.prepare());
  await done(served.hold({ drainMs: 20_000, holdMs: 60_000 }));
  await done(served.abort());
  client.close();
});

test("connections of clients and to engines are kept alive: a peer that has vanished is found within a minute", async (context) => {
  if (process.platform !== "linux") return context.skip("ss is of Linux");
  await using served = await Served.start();
  const client = await served.client();
  assert.equal(await client.ask("PING"), "PONG");
  const own = (): readonly string[] =>
    execFileSync("ss", ["-tnoHp", "state", "established"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(`pid=${served.proxy.pid},`));
  assert.ok(own().length >= 2, "one of a client, and one to the engine");
  // one that has just been used shows the timer of what it has sent
  const areAll = (): boolean => own().every((line) => /timer:\(keepalive,/.test(line));
  await until("all of them are kept alive", areAll, { everyMs: 100 });
  client.close();
});

async function slowReaders(dial: () => Socket) {
  const sockets: Socket[] = Array.from({ length: READERS }, dial);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.on("error", () => undefined).pause();
  // each makes progress: a client whose replies do not move at all is cut without a budget
  const reading = setInterval(() => sockets.forEach((socket) => socket.read(PROGRESS_BYTES)), 100);
  return {
    sockets,
    [Symbol.asyncDispose]: () => {
      clearInterval(reading);
      for (const socket of sockets) socket.destroy();
      return Promise.resolve();
    },
  };
}
