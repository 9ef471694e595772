import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";

test("MONITOR shows what clients do, also behind a change of primary, and keeps no move from its end", async () => {
  await using served = await Served.start();
  const [watcher, client] = [await served.client(), await served.client()];
  assert.equal(await watcher.ask("MONITOR"), "OK");
  await client.ask("SET", "before", "1");
  await shows(watcher, /^\d+\.\d+ \[0 127\.[\d.:]+\] "SET" "before" "1"$/);
  await served.move();
  await client.ask("SET", "behind", "2");
  await shows(watcher, /"SET" "behind" "2"$/);
  watcher.send("GET", "before");
  await shows(watcher, /only QUIT and RESET are available/);
  watcher.send("RESET");
  await shows(watcher, /^RESET$/);
  assert.equal(await watcher.ask("GET", "behind"), "2");
});

test("MONITOR ends when its engine is lost, since what the next one has done before would be missing", async () => {
  await using served = await Served.start();
  const [watcher, client] = [await served.client(), await served.client()];
  assert.equal(await watcher.ask("MONITOR"), "OK");
  await client.ask("SET", "before", "1");
  await shows(watcher, /"SET" "before" "1"$/);
  await served.primary.stop();
  await until("the connection of the watcher ends", () => watcher.over);
});

/** Reads until a line is like this. */
async function shows(client: RawClient, line: RegExp): Promise<void> {
  for (let read = await client.read(); ; read = await client.read()) {
    assert.notEqual(read, undefined);
    if (line.test(typeof read === "string" ? read : JSON.stringify(read))) return;
  }
}
