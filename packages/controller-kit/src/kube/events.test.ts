import assert from "node:assert/strict";
import { test } from "node:test";
import { answerStatus, reply, scriptedApi, type RecordedRequest } from "../testing/scripted-api.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { jsonLog, silentLog } from "../base/log.ts";
import { connect } from "./client.ts";
import { eventRecorder } from "./events.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "ns", uid: "u" } };

function bodyOf(asked: RecordedRequest | undefined): Record<string, unknown> {
  return JSON.parse(asked?.body ?? "{}");
}

function stored(asked: RecordedRequest): object {
  return {
    metadata: { name: "e", namespace: "ns", uid: "1", resourceVersion: "1" },
    ...(asked.method === "POST" ? {} : {}),
  };
}

test("the same sentence again raises the count of the first event", async () => {
  await using api = await scriptedApi((asked, response) => reply(response, stored(asked)));
  const kube = connect(api.config);
  const clock = new FakeClock();
  const events = eventRecorder(kube, {
    component: "tester",
    clock,
    log: jsonLog(
      () => undefined,
      () => new Date(0),
    ),
  });
  events.record(pod, "Normal", "Started", "it started");
  await events.flush();
  await clock.advance(5_000);
  events.record(pod, "Normal", "Started", "it started");
  events.record(pod, "Warning", "Failed", "it failed");
  await events.flush();
  assert.deepEqual(
    api.asked.map(({ method }) => method),
    ["POST", "PATCH", "POST"],
  );
  const { involvedObject, source, count, firstTimestamp } = bodyOf(api.asked[0]);
  assert.deepEqual(
    { involvedObject, source, count, firstTimestamp },
    {
      involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "ns", uid: "u" },
      source: { component: "tester" },
      count: 1,
      firstTimestamp: "2026-01-01T00:00:00Z",
    },
  );
  assert.deepEqual(bodyOf(api.asked[1]), { count: 2, lastTimestamp: "2026-01-01T00:00:05Z" });
  await kube.close();
});

test("an event shows what another program has said without its control characters", async () => {
  await using api = await scriptedApi((asked, response) => reply(response, stored(asked)));
  const kube = connect(api.config);
  const events = eventRecorder(kube, { component: "tester", clock: new FakeClock(), log: silentLog });
  events.record(pod, "Warning", "Failed", "the site says \u001b[2Kall is well\nReady");
  await events.flush();
  assert.equal(bodyOf(api.asked[0])["message"], "the site says \\u001b[2Kall is well\\nReady");
  await kube.close();
});

test("an event that the server has forgotten begins anew", async () => {
  await using api = await scriptedApi((asked, response) => {
    if (asked.method === "PATCH") answerStatus(response, 404, "NotFound");
    else reply(response, stored(asked));
  });
  const kube = connect(api.config);
  const events = eventRecorder(kube, {
    component: "tester",
    clock: new FakeClock(),
    log: jsonLog(
      () => undefined,
      () => new Date(0),
    ),
  });
  events.record(pod, "Normal", "A", "a");
  events.record(pod, "Normal", "A", "a");
  await events.flush();
  assert.deepEqual(
    api.asked.map(({ method }) => method),
    ["POST", "PATCH", "POST"],
  );
  await kube.close();
});

test("a server that refuses costs a log line and no more", async () => {
  const lines: string[] = [];
  await using api = await scriptedApi((_, response) => answerStatus(response, 403, "Forbidden"));
  const kube = connect(api.config);
  const events = eventRecorder(kube, {
    component: "tester",
    clock: new FakeClock(),
    log: jsonLog(
      (line) => lines.push(line),
      () => new Date(0),
    ),
  });
  for (let n = 0; n < 250; n += 1) events.record(pod, "Normal", "N", `message ${n}`);
  await events.flush();
  assert.equal(api.asked.length, 200, "no more than 200 wait");
  assert.equal(lines.length, 250);
  await kube.close();
});
