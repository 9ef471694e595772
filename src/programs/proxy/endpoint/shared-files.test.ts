import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";

const FILES = 1_200;
/** Many more than the proxy may open files. */
const TRIED = 2_000;
const skip = process.platform === "win32" ? "sh limits the files" : false;

test(
  "one database's clients take what they can get, and those of another one connect and are served",
  { skip },
  async () => {
    await using greedyEngine = await startEngine();
    await using modestEngine = await startEngine();
    await using proxy = await startProxy({ within: nodeWithFiles(FILES) });
    const greedy = endpointFor(greedyEngine);
    const modest = endpointFor(modestEngine, { bdb: 2 });
    await done(proxy.send({ op: "configure", endpoints: [greedy, modest] }));

    await using crowd = await openAll(greedy.listen, TRIED);
    const { clients } = await proxy.stats(1);
    assert.ok(clients > 200 && clients < FILES, `${clients} were accepted`);
    const last = await RawClient.connect(greedy.listen);
    assert.equal(await last.ask("PING").catch(() => undefined), "-ERR max number of clients reached");

    const others = await Promise.all(Array.from({ length: 50 }, () => RawClient.connect(modest.listen)));
    for (const client of others) {
      assert.equal(await client.ask("SET", "key", "value"), "OK");
      assert.equal(await client.ask("MULTI"), "OK", "a connection of its own to the engine");
      await client.ask("PING");
      assert.deepEqual(await client.ask("EXEC"), ["PONG"]);
    }
    // a database that is made now has a share, too
    const third = endpointFor(modestEngine, { bdb: 3 });
    await done(proxy.send({ op: "configure", endpoints: [greedy, modest, third] }));
    const newcomer = await RawClient.connect(third.listen);
    assert.equal(await newcomer.ask("GET", "key"), "value");

    crowd.leave();
    await until("they have gone", async () => (await proxy.stats(1)).clients === 0);
    assert.equal(await (await RawClient.connect(greedy.listen)).ask("PING"), "PONG");
  },
);

/** A Node.js that may open so many files. */
function nodeWithFiles(files: number): string {
  const path = join(mkdtempSync(join(tmpdir(), "store-files-")), "node");
  writeFileSync(path, `#!/bin/sh\nulimit -n ${files}\nexec ${process.execPath} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Opens connections, and waits until each is connected and served, or refused and closed: of many at once most are refused without a word. */
async function openAll(address: { readonly host: string; readonly port: number }, count: number) {
  const sockets: Socket[] = [];
  const answered = (socket: Socket): Promise<unknown> =>
    new Promise((resolve) => {
      socket.on("data", (bytes) => {
        if (!bytes.toString().startsWith("-")) resolve(undefined);
      });
      socket.once("close", resolve).on("error", resolve);
      socket.write("PING\r\n");
    });
  for (let opened = 0; opened < count; opened += BATCH) {
    const batch = Array.from({ length: BATCH }, () => connect(address));
    sockets.push(...batch);
    await Promise.all(batch.map(answered));
  }
  const leave = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    leave,
    [Symbol.asyncDispose]: async () => {
      leave();
    },
  };
}

const BATCH = 250;
