import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rawApi, type RawApi } from "../../test/kit/api-client.ts";

let api: RawApi;
before(async () => {
  api = await rawApi({ historyLimit: 50 });
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "w" } } });
});
after(() => api[Symbol.asyncDispose]());

const MAPS = "/api/v1/namespaces/w/configmaps";
const MERGE = "application/merge-patch+json";

function map(name: string, labels: object = {}): object {
  return { metadata: { name, labels } };
}

/** The first `count` events of a watch, as `TYPE name`. */
async function take(path: string, count: number, headers: Record<string, string> = {}, from = api): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, object } of from.watch(path, headers)) {
    seen.push(`${type} ${object.metadata?.name ?? object.code}`);
    if (seen.length === count) break;
  }
  return seen;
}

async function revision(): Promise<string> {
  return (await api.send("GET", MAPS)).body.metadata.resourceVersion;
}

test("a watch from a version shows every change after it, once and in order", async () => {
  const from = await revision();
  await api.send("POST", MAPS, { body: map("a") });
  const events = take(`${MAPS}?watch=true&resourceVersion=${from}&labelSelector=!internal`, 4);
  await api.send("POST", MAPS, { body: map("b") });
  await api.send("PATCH", `${MAPS}/a`, { type: MERGE, body: { data: { x: "1" } } });
  await api.send("DELETE", `${MAPS}/b`);
  assert.deepEqual(await events, ["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
});

test("a deletion carries the last state under the version of the deletion", async () => {
  const from = await revision();
  const { body: made } = await api.send("POST", MAPS, { body: { ...map("last"), data: { x: "1" } } });
  await api.send("DELETE", `${MAPS}/last`);
  for await (const { type, object } of api.watch(`${MAPS}?watch=1&resourceVersion=${from}`)) {
    if (type !== "DELETED") continue;
    assert.deepEqual(object.data, { x: "1" });
    assert.ok(Number(object.metadata.resourceVersion) > Number(made.metadata.resourceVersion));
    break;
  }
});

test("without a version a watch begins with what is there", async () => {
  await api.send("POST", MAPS, { body: map("start", { only: "start" }) });
  assert.deepEqual(await take(`${MAPS}?watch=true&labelSelector=only%3Dstart`, 1), ["ADDED start"]);
});

test("an object that begins or ceases to be selected is added or deleted for the watcher", async () => {
  await api.send("POST", MAPS, { body: map("moving", { room: "a" }) });
  const events = take(`${MAPS}?watch=true&resourceVersion=${await revision()}&labelSelector=room%3Db`, 3);
  for (const room of ["b", "b2", "b"]) {
    await api.send("PATCH", `${MAPS}/moving`, { type: MERGE, body: { metadata: { labels: { room } } } });
  }
  assert.deepEqual(await events, ["ADDED moving", "DELETED moving", "ADDED moving"]);
});

test("sendInitialEvents marks the end of the beginning with a bookmark", async () => {
  const path = `${MAPS}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=&fieldSelector=metadata.name%3Dkube-root-ca.crt`;
  const types: string[] = [];
  for await (const { type, object } of api.watch(path)) {
    types.push(type);
    if (type !== "BOOKMARK") continue;
    assert.equal(object.metadata.annotations["k8s.io/initial-events-end"], "true");
    assert.match(object.metadata.resourceVersion, /^\d+$/);
    break;
  }
  assert.deepEqual(types, ["ADDED", "BOOKMARK"]);
});

test("a version that the history does not reach is 410: the watcher lists again and goes on", async () => {
  const old = await revision();
  await api.send("POST", MAPS, { body: map("churn") });
  for (let n = 0; n < 120; n++) {
    await api.send("PATCH", `${MAPS}/churn`, { type: MERGE, body: { data: { n: String(n) } } });
  }
  assert.deepEqual(await take(`${MAPS}?watch=true&resourceVersion=${old}`, 1), ["ERROR 410"]);
  const now = await revision();
  const events = take(`${MAPS}?watch=true&resourceVersion=${now}`, 1);
  await api.send("DELETE", `${MAPS}/churn`);
  assert.deepEqual(await events, ["DELETED churn"]);
});

test("a version from another life of the server is 410 too", async () => {
  assert.deepEqual(await take(`${MAPS}?watch=true&resourceVersion=99999999`, 1), ["ERROR 410"]);
});

test("timeoutSeconds ends a watch, with a bookmark for those who asked", async () => {
  const types: string[] = [];
  const path = `${MAPS}?watch=true&resourceVersion=${await revision()}&timeoutSeconds=1&allowWatchBookmarks=true`;
  for await (const { type } of api.watch(path)) types.push(type);
  assert.deepEqual(types, ["BOOKMARK"]);
});

test("a watch as a table sends the columns once", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const events = [];
  const path = `${MAPS}?watch=true&resourceVersion=${await revision()}`;
  const writes = Promise.all(["t1", "t2"].map((name) => api.send("POST", MAPS, { body: map(name) })));
  for await (const event of api.watch(path, { accept })) {
    events.push(event);
    if (events.length === 2) break;
  }
  await writes;
  assert.deepEqual(
    events.map(({ object }) => [object.kind, object.columnDefinitions.length, object.rows[0].cells[0]]),
    [
      ["Table", 3, "t1"],
      ["Table", 0, "t2"],
    ],
  );
});

test("a watch of all namespaces sees each of them, one of a namespace only its own", async () => {
  const from = await revision();
  const everywhere = take(`/api/v1/configmaps?watch=true&resourceVersion=${from}&labelSelector=wide`, 2);
  const here = take(`${MAPS}?watch=true&resourceVersion=${from}&labelSelector=wide`, 1);
  await api.send("POST", MAPS.replace("/w/", "/default/"), { body: map("wide", { wide: "y" }) });
  await api.send("POST", MAPS, { body: map("wide-too", { wide: "y" }) });
  assert.deepEqual([await everywhere, await here], [["ADDED wide", "ADDED wide-too"], ["ADDED wide-too"]]);
});

test("a restart keeps objects, versions and the history that watchers go on from", async () => {
  const before = await revision();
  await api.send("POST", MAPS, { body: map("kept", { keep: "y" }) });
  const kept = (await api.send("GET", `${MAPS}/kept`)).body;
  await api.restart();
  assert.deepEqual((await api.send("GET", `${MAPS}/kept`)).body, kept);
  assert.deepEqual(await take(`${MAPS}?watch=true&resourceVersion=${before}&labelSelector=keep`, 1), ["ADDED kept"]);
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
  const lively = take(`${maps}?watch=true&fieldSelector=metadata.name%3Dlast`, 1, {}, other);
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
