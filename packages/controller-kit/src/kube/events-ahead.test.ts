import assert from "node:assert/strict";
import { test } from "node:test";
import { testApi } from "../../../kubernetes-in-process/src/testing/api-server.ts";
import { answerStatus, scriptedApi } from "../testing/scripted-api.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { until } from "../testing/until.ts";
import { jsonLog } from "../base/log.ts";
import { ConfigMaps, Events } from "./builtin.ts";
import { connect } from "./client.ts";
import { eventRecorder } from "./events.ts";
import type { Kube, Stored } from "./kube.ts";

const namespace = "default";
const began = { type: "Warning", reason: "Began", message: "it began" } as const;
const ended = { type: "Normal", reason: "Ended", message: "it ended" } as const;
const failing = () => Promise.reject(new Error("changed meanwhile"));
const storing = () => Promise.resolve("stored");

await using api = await testApi();
const clock = new FakeClock();

/** A recorder that knows of nothing, as after a start. */
function recorder(kube: Kube = api.kube, lines: string[] = []) {
  const log = jsonLog(
    (line) => lines.push(line),
    () => clock.now(),
  );
  return eventRecorder(kube, { component: "tester", clock, log });
}

async function eventsOf({ metadata }: Stored<object>): Promise<readonly string[]> {
  const { items } = await api.kube.list(Events, { namespace });
  return items
    .filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
    .map(({ reason, count, lastTimestamp }) => `${reason} x${count} ${lastTimestamp}`)
    .toSorted();
}

await test("a change is stored after its events, each of them once", async () => {
  const object = await api.kube.create(ConfigMaps, { metadata: { name: "stored", namespace } });
  const events = recorder();
  const seen = await events.recordAhead(object, [began, ended], () => eventsOf(object));
  assert.deepEqual(seen, ["Began x1 2026-01-01T00:00:00Z", "Ended x1 2026-01-01T00:00:00Z"]);
  assert.deepEqual(await eventsOf(object), seen);
});

await test("a change that is tried until it is stored is one event, and the next such change is counted", async () => {
  const object = await api.kube.create(ConfigMaps, { metadata: { name: "tried", namespace } });
  const events = recorder();
  await assert.rejects(events.recordAhead(object, [began], failing), /changed meanwhile/);
  await assert.rejects(events.recordAhead(object, [began], failing), /changed meanwhile/);
  assert.equal(await events.recordAhead(object, [began], storing), "stored");
  assert.deepEqual(await eventsOf(object), ["Began x1 2026-01-01T00:00:00Z"]);
  await events.recordAhead(object, [began], storing);
  assert.deepEqual(await eventsOf(object), ["Began x2 2026-01-01T00:00:00Z"]);
});

await test("a process that goes on after another one ended dates the event anew, and counts what happens then", async () => {
  const object = await api.kube.create(ConfigMaps, { metadata: { name: "left", namespace } });
  await assert.rejects(recorder().recordAhead(object, [began], failing), /changed meanwhile/);
  await clock.advance(5_000);
  const next = recorder();
  await next.recordAhead(object, [began], storing);
  assert.deepEqual(await eventsOf(object), ["Began x1 2026-01-01T00:00:05Z"]);
  await next.recordAhead(object, [began], storing);
  assert.deepEqual(await eventsOf(object), ["Began x2 2026-01-01T00:00:05Z"]);
});

await test("an object that is made again under its name has events of its own", async () => {
  const metadata = { name: "again", namespace };
  const first = await api.kube.create(ConfigMaps, { metadata });
  const events = recorder();
  await events.recordAhead(first, [began], storing);
  await api.kube.delete(ConfigMaps, metadata);
  const second = await api.kube.create(ConfigMaps, { metadata });
  await events.recordAhead(second, [began], storing);
  for (const object of [first, second]) assert.equal((await eventsOf(object)).length, 1);
});

await test("a change is stored although its events are refused, with a line of the log for each", async () => {
  const lines: string[] = [];
  await using refusing = await scriptedApi((_, response) => answerStatus(response, 403, "Forbidden"));
  const kube = connect(refusing.config);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "refused", namespace } };
  assert.equal(await recorder(kube, lines).recordAhead(object, [began, ended], storing), "stored");
  assert.equal(lines.filter((line) => line.includes("an event was not written")).length, 2);
  await kube.close();
});

await test("a change waits two seconds for events that a server does not answer, and no longer", async () => {
  const lines: string[] = [];
  await using silent = await scriptedApi(() => undefined);
  const kube = connect(silent.config);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "silent", namespace } };
  let outcome = "waits";
  const recorded = recorder(kube, lines).recordAhead(object, [began], () => {
    outcome = "stored";
    return Promise.resolve();
  });
  await until("the server is asked", () => silent.asked.length === 1);
  await clock.advance(1_999);
  assert.equal(outcome, "waits");
  await clock.advance(1);
  await recorded;
  assert.equal(outcome, "stored");
  assert.match(lines.join(""), /events are written late/);
  silent.server.closeAllConnections();
  await kube.close();
});
