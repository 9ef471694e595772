import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { Served } from "../../../../test/kit/engines/served.ts";
import { inOwnNetwork, vanish } from "../../../../test/kit/network/own-network.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { assertWithin } from "#kit/testing/assert-within";

const GONE = "127.0.0.9";
const MINUTE_MS = 60_000;

if (inOwnNetwork(import.meta.filename))
  test("clients that vanish are gone within a minute, idle ones and those to which something has to be sent", async () => {
    await using served = await Served.start();
    const staying = await served.client();
    const [idle, waiting] = [await opened(), await opened()];
    staying.send("BLPOP", "other", 0);
    waiting.write(encodeCommand(["BLPOP", "queue", 0]));
    await until("both wait", async () =>
      String(await served.primary.call("INFO", "clients")).includes("blocked_clients:2"),
    );
    vanish(GONE);
    const startedAt = performance.now();
    await served.primary.call("RPUSH", "queue", "x".repeat(100_000));
    const clients = async (): Promise<number> => (await served.proxy.stats()).clients;
    await until("they are gone", async () => (await clients()) === 1, { withinMs: 2 * MINUTE_MS, everyMs: 200 });
    assertWithin(MINUTE_MS, performance.now() - startedAt, "clients whose machine has vanished are gone");
    await served.primary.call("RPUSH", "other", "y");
    assert.deepEqual(await staying.read(), ["other", "y"]);
    for (const socket of [idle, waiting]) socket.destroy();

    async function opened() {
      const socket = connect({ ...served.endpoint.listen, localAddress: GONE }).on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    }
  });
