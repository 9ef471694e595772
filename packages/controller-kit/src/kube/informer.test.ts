import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, informerScene, ListServer } from "../testing/informer-scene.ts";
import { configMap } from "../testing/scripted-api.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { until } from "../testing/until.ts";

test("the cache follows list and watch, and handlers see each change once", async () => {
  const server = new ListServer();
  server.items = [configMap("a", "1")];
  await using scene = await informerScene(server);
  const { informer, seen } = scene;
  await informer.synced;
  await until("it watches", () => server.watches.length === 1);
  server.send("ADDED", configMap("b", "2"));
  server.send("MODIFIED", configMap("a", "3"));
  server.send("MODIFIED", configMap("a", "3"));
  server.send("DELETED", configMap("b", "4"));
  await until("all came", () => seen.length === 4);
  assert.deepEqual(seen, ["ns/a ->1", "ns/b ->2", "ns/a 1>3", "ns/b 4>-"]);
  assert.equal(informer.get({ name: "a", namespace: "ns" })?.metadata.resourceVersion, "3");
  assert.deepEqual(
    informer.list().map(({ metadata }) => metadata.name),
    ["a"],
  );
  const late = changesOf(informer);
  assert.deepEqual(late, ["ns/a ->3"], "a late handler is called for each known object");
});

test("a server that is still starting is asked until it answers", async () => {
  const server = new ListServer();
  server.failLists = 2;
  server.items = [configMap("a", "1")];
  await using scene = await informerScene(server);
  const { informer } = scene;
  await informer.synced;
  assert.equal(server.lists, 3);
  assert.equal(informer.list().length, 1);
});

test("a handler that throws disturbs neither the cache nor the other handlers", async () => {
  const server = new ListServer();
  await using scene = await informerScene(server);
  const { informer } = scene;
  informer.onChange(() => {
    throw new Error("bad handler");
  });
  const seen = changesOf(informer);
  await until("it watches", () => server.watches.length === 1);
  server.send("ADDED", configMap("a", "2"));
  await until("the other handler is called", () => seen.length === 1);
});

test("failures are followed by pauses that grow, and a stop ends them", async () => {
  const server = new ListServer();
  server.failLists = Infinity;
  const clock = new FakeClock();
  await using scene = await informerScene(server, { clock });
  const { informer } = scene;
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    await until("it pauses", () => clock.sleeping === 1);
    assert.equal(server.lists, attempt);
    const began = clock.now().getTime();
    while (clock.sleeping === 1) await clock.advance(10);
    waits.push(clock.now().getTime() - began);
  }
  assert.ok((waits[0] ?? 0) <= 200 && (waits[6] ?? 0) >= 2_500 && Math.max(...waits) <= 5_000, waits.join());
  scene.stop.abort(new Error("stopped"));
  await assert.rejects(informer.synced, /stopped/);
});

test("a server that says when to come back is left alone until then", async () => {
  const server = new ListServer();
  server.failLists = 1;
  server.retryAfter = "1";
  const clock = new FakeClock();
  await using scene = await informerScene(server, { clock });
  const { informer } = scene;
  await until("it pauses", () => clock.sleeping === 1);
  await clock.advance(1_000);
  assert.equal(clock.sleeping, 1);
  await clock.advance(200);
  await informer.synced;
  assert.equal(server.lists, 2);
});
