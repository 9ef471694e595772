import assert from "node:assert/strict";
import { test } from "node:test";
import { rawApi, type RawApi } from "../testing/api-client.ts";

/** A server that keeps few changes, with a namespace that nothing else writes to. */
async function watchedApi(): Promise<RawApi> {
  const api = await rawApi({ historyLimit: 50 });
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "w" } } });
  return api;
}

const MAPS = "/api/v1/namespaces/w/configmaps";
const MERGE = "application/merge-patch+json";

function map(name: string, labels: object = {}): object {
  return { metadata: { name, labels } };
}

/** The first `count` events of a watch, as `TYPE name`. */
async function take(api: RawApi, path: string, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, object } of api.watch(path)) {
    seen.push(`${type} ${object.metadata?.name ?? object.code}`);
    if (seen.length === count) break;
  }
  return seen;
}

async function revision(api: RawApi): Promise<string> {
  return (await api.send("GET", MAPS)).body.metadata.resourceVersion;
}

test("a version that the history does not reach is 410: the watcher lists again and goes on", async () => {
  await using api = await watchedApi();
  const old = await revision(api);
  await api.send("POST", MAPS, { body: map("churn") });
  for (let n = 0; n < 120; n++) {
    await api.send("PATCH", `${MAPS}/churn`, { type: MERGE, body: { data: { n: String(n) } } });
  }
  assert.deepEqual(await take(api, `${MAPS}?watch=true&resourceVersion=${old}`, 1), ["ERROR 410"]);
  const now = await revision(api);
  const events = take(api, `${MAPS}?watch=true&resourceVersion=${now}`, 1);
  await api.send("DELETE", `${MAPS}/churn`);
  assert.deepEqual(await events, ["DELETED churn"]);
});

test("a version that the server never had is 410 too", async () => {
  await using api = await watchedApi();
  assert.deepEqual(await take(api, `${MAPS}?watch=true&resourceVersion=99999999`, 1), ["ERROR 410"]);
});

test("a restart keeps objects, versions and the history that watchers go on from", async () => {
  await using api = await watchedApi();
  const before = await revision(api);
  await api.send("POST", MAPS, { body: map("kept", { keep: "y" }) });
  const kept = (await api.send("GET", `${MAPS}/kept`)).body;
  await api.restart();
  assert.deepEqual((await api.send("GET", `${MAPS}/kept`)).body, kept);
  assert.deepEqual(await take(api, `${MAPS}?watch=true&resourceVersion=${before}&labelSelector=keep`, 1), [
    "ADDED kept",
  ]);
});

test("closing the server ends its watches", async () => {
  await using other = await rawApi();
  const ended = (async () => {
    let events = 0;
    for await (const _ of other.watch("/api/v1/namespaces?watch=true")) events++;
    return events;
  })();
  await other.send("GET", "/api/v1/namespaces");
  await other.server.close();
  assert.ok((await ended) >= 0);
});

test("a watcher that does not read is cut off, and the others go on", async () => {
  await using other = await rawApi();
  const maps = "/api/v1/namespaces/default/configmaps";
  const stalled = other.watch(`${maps}?watch=true`);
  await stalled.next();
  const lively = take(other, `${maps}?watch=true&fieldSelector=metadata.name%3Dlast`, 1);
  const large = "x".repeat(900_000);
  for (let n = 0; n < 40; n++) {
    await other.send("PUT", `${maps}/kube-root-ca.crt`, {
      body: { metadata: { name: "kube-root-ca.crt" }, data: { large, n: String(n) } },
    });
  }
  await other.send("POST", maps, { body: map("last") });
  assert.deepEqual(await lively, ["ADDED last"]);
  let events = 0;
  await assert.rejects(async () => {
    for await (const _ of stalled) events++;
  });
  assert.ok(events < 40);
});
