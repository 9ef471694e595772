import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { memoryOf } from "../../../../test/kit/facts/memory.ts";
import { inOwnNetwork, vanish } from "../../../../test/kit/network/own-network.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const GONE = "127.0.0.9";
const SLOW = 200;
const VANISHING = 1_000;
/** What a node leaves for its proxy. */
const ROOM_MIB = 512;
const MINUTE_MS = 60_000;

// `npm run bench:crowd` measures the same with 1,000 and 10,000, and how long the others take.
if (inOwnNetwork(import.meta.filename))
  test("a crowd of slow readers and vanished clients: memory is bounded, all of them go, and every request of another database is answered", async () => {
    await using served = await Served.start();
    await using other = await startEngine();
    const listen = { ...served.endpoint.listen, port: 12001 };
    const left = { ...served.endpoint, bdb: 2, listen };
    const tenant = { ...endpointFor(other), bdb: 3 };
    await done(served.proxy.send({ op: "configure", endpoints: [served.endpoint, left, tenant] }));
    await served.primary.call("SET", "large", Buffer.alloc(2 ** 20, "x"));
    using slow = await crowd(SLOW, served.endpoint.listen.host, 12000, "127.0.0.8");
    using vanishing = await crowd(VANISHING, listen.host, listen.port, GONE);
    const clients = async (bdb: number): Promise<number> => (await served.proxy.stats(bdb)).clients;
    await until("all are there", async () => (await clients(1)) === SLOW && (await clients(2)) === VANISHING);

    const modest = await RawClient.connect(tenant.listen);
    let asked = 0;
    const isServed = async (): Promise<void> => assert.equal(await modest.ask("INCR", "n"), ++asked);
    const ask = encodeCommand(["GET", "large"]);
    for (const socket of slow.sockets) socket.write(Buffer.concat([ask, ask]));
    for (const socket of vanishing.sockets.slice(VANISHING / 2)) socket.write(encodeCommand(["BLPOP", "queue", 0]));
    const blocked = async (): Promise<boolean> => {
      await isServed();
      const info = String(await served.primary.call("INFO", "clients"));
      return info.includes(`blocked_clients:${VANISHING / 2}`);
    };
    await until("half of those that will vanish wait", blocked, { withinMs: MINUTE_MS });
    vanish(GONE);
    await served.primary.call("EVAL", "for i = 1, 100 do redis.call('RPUSH', 'queue', string.rep('x', 1000)) end", 0);
    const areGone = async (): Promise<boolean> => {
      await isServed();
      return (await clients(2)) === 0;
    };
    await until("the vanished are gone", areGone, { withinMs: 2 * MINUTE_MS, everyMs: 20 });
    assert.equal((await served.proxy.stats(3)).cut, 0);
    const peak = memoryOf(served.proxy.pid)?.most ?? 0;
    assert.ok(peak < ROOM_MIB, `${peak} MiB`);
    assert.ok((await clients(1)) > 0, "those that only read slowly are not all cut");
  });

/** Clients from an address; each reads a little now and then. */
async function crowd(count: number, host: string, port: number, localAddress: string) {
  const sockets: Socket[] = Array.from({ length: count }, () => connect({ host, port, localAddress }));
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.pause();
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(4096);
  }, 1000);
  return {
    sockets,
    [Symbol.dispose]: () => {
      clearInterval(reading);
      for (const socket of sockets) socket.destroy();
    },
  };
}
