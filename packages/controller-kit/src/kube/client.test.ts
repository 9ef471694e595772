import assert from "node:assert/strict";
import { test } from "node:test";
import { reply, answerStatus, scriptedApi, configMap } from "../testing/scripted-api.ts";
import { Fault } from "../base/fault.ts";
import { createAuthority } from "../pki/authority.ts";
import { ConfigMaps, Deployments, Nodes } from "./builtin.ts";
import { connect } from "./client.ts";
import type { WatchEvent } from "./kube.ts";

const ref = { name: "a", namespace: "ns" };

test("many requests share few connections", async () => {
  await using api = await scriptedApi((_, response) => reply(response, configMap("a", "1")));
  const kube = connect(api.config, { connections: 2 });
  await Promise.all(Array.from({ length: 40 }, () => kube.get(ConfigMaps, ref)));
  assert.equal(api.asked.length, 40);
  assert.equal(api.connections(), 2);
  await kube.close();
});

test("an object of a list gets its apiVersion and kind, and pages are followed", async () => {
  await using api = await scriptedApi(({ query }, response) => {
    const first = query.get("continue") === null;
    const metadata = { resourceVersion: "7", ...(first ? { continue: "more" } : {}) };
    reply(response, { metadata, items: [configMap(first ? "a" : "b", "1")] });
  });
  const kube = connect(api.config);
  const list = await kube.list(ConfigMaps, { labelSelector: "x=y" });
  assert.deepEqual(
    list.items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
    [
      ["v1", "ConfigMap", "a"],
      ["v1", "ConfigMap", "b"],
    ],
  );
  assert.equal(list.resourceVersion, "7");
  assert.deepEqual(
    api.asked.map(({ path, query }) => [path, query.get("labelSelector"), query.get("continue")]),
    [
      ["/api/v1/configmaps", "x=y", null],
      ["/api/v1/configmaps", "x=y", "more"],
    ],
  );
  await kube.close();
});

test("a request with a deadline is broken off after it, and the next one is answered on another connection", async () => {
  let answers = false;
  await using api = await scriptedApi((_, response) => {
    if (answers) reply(response, configMap("a", "1"));
    answers = true;
  });
  const kube = connect(api.config, { connections: 1 });
  await assert.rejects(kube.get(ConfigMaps, ref, { deadlineMs: 100 }), { code: "KUBE_UNAVAILABLE" });
  assert.equal((await kube.get(ConfigMaps, ref, { deadlineMs: 60_000 }))?.metadata.name, "a");
  await kube.close();
});

test("a list whose pages grow too old is asked for in one piece", async () => {
  await using api = await scriptedApi(({ query }, response) => {
    if (query.get("continue") !== null) answerStatus(response, 410, "Expired");
    else if (query.get("limit") === null) {
      reply(response, { metadata: { resourceVersion: "9" }, items: [configMap("a", "1"), configMap("b", "8")] });
    } else reply(response, { metadata: { resourceVersion: "7", continue: "more" }, items: [configMap("a", "1")] });
  });
  const kube = connect(api.config);
  const list = await kube.list(ConfigMaps);
  assert.deepEqual([list.items.length, list.resourceVersion], [2, "9"]);
  await kube.close();
});

test("each write goes where and in the form that the API wants", async () => {
  await using api = await scriptedApi((_, response) => reply(response, configMap("a", "1")));
  const kube = connect(api.config);
  const wanted = { metadata: { name: "d", namespace: "ns" } };
  await kube.create(Deployments, wanted, { dryRun: true });
  await kube.apply(Deployments, wanted, { fieldManager: "me", force: true });
  await kube.patch(Deployments, ref, { type: "strategic", body: {} }, { subresource: "status" });
  await kube.patch(Nodes, { name: "n" }, { type: "json", operations: [] });
  await kube.delete(ConfigMaps, ref, { propagation: "Foreground", uid: "u" });
  assert.deepEqual(
    api.asked.map((asked) => [asked.method, `${asked.path}?${asked.query}`, asked.headers["content-type"]]),
    [
      ["POST", "/apis/apps/v1/namespaces/ns/deployments?dryRun=All", "application/json"],
      ["PATCH", "/apis/apps/v1/namespaces/ns/deployments/d?fieldManager=me&force=true", "application/apply-patch+yaml"],
      ["PATCH", "/apis/apps/v1/namespaces/ns/deployments/a/status?", "application/strategic-merge-patch+json"],
      ["PATCH", "/api/v1/nodes/n?", "application/json-patch+json"],
      ["DELETE", "/api/v1/namespaces/ns/configmaps/a?", "application/json"],
    ],
  );
  assert.deepEqual(JSON.parse(api.asked[0]?.body ?? ""), { apiVersion: "apps/v1", kind: "Deployment", ...wanted });
  assert.equal(api.asked[3]?.body, "[]");
  const options = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Foreground",
    preconditions: { uid: "u" },
  };
  assert.deepEqual(JSON.parse(api.asked[4]?.body ?? ""), options);
  assert.equal(api.asked[0]?.headers.authorization, "Bearer secret");
  await kube.close();
});

const refusals = [
  { status: 404, reason: "NotFound", code: "KUBE_NOT_FOUND" },
  { status: 409, reason: "Conflict", code: "KUBE_CONFLICT" },
  { status: 409, reason: "AlreadyExists", code: "KUBE_ALREADY_EXISTS" },
  { status: 410, reason: "Expired", code: "KUBE_GONE" },
  { status: 422, reason: "Invalid", code: "KUBE_INVALID" },
  { status: 400, reason: "BadRequest", code: "KUBE_INVALID" },
  { status: 403, reason: "Forbidden", code: "KUBE_FORBIDDEN" },
  { status: 401, reason: "Unauthorized", code: "KUBE_UNAUTHORIZED" },
  { status: 429, reason: "TooManyRequests", code: "KUBE_UNAVAILABLE" },
  { status: 503, reason: "ServiceUnavailable", code: "KUBE_UNAVAILABLE" },
];
for (const { status, reason, code } of refusals) {
  test(`status ${status} ${reason} is ${code}`, async () => {
    await using api = await scriptedApi((_, response) =>
      answerStatus(response, status, reason, { "retry-after": "2" }),
    );
    const kube = connect(api.config);
    await assert.rejects(kube.list(ConfigMaps), (error) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.code, code);
      assert.match(error.message, new RegExp(`GET /api/v1/configmaps.*it is ${reason}`));
      assert.equal(error.details["retryAfterMs"], 2000);
      return true;
    });
    await kube.close();
  });
}

test("an absent object is undefined to get and no failure to delete", async () => {
  await using api = await scriptedApi((_, response) => answerStatus(response, 404, "NotFound"));
  const kube = connect(api.config);
  assert.equal(await kube.get(ConfigMaps, ref), undefined);
  await kube.delete(ConfigMaps, ref);
  await kube.close();
});

test("a server that the authority does not vouch for gets no request", async () => {
  await using api = await scriptedApi((_, response) => reply(response, {}));
  const { certificate } = createAuthority({ commonName: "another", now: new Date(), days: 1 });
  const kube = connect({ ...api.config, ca: certificate });
  await assert.rejects(kube.get(ConfigMaps, ref), { code: "KUBE_UNAVAILABLE", message: /certificate/ });
  assert.equal(api.asked.length, 0);
  await kube.close();
});

test("a page of some proxy is unavailability with an excerpt", async () => {
  await using api = await scriptedApi((_, response) => response.writeHead(502).end("<html>bad gateway</html>"));
  const kube = connect(api.config);
  await assert.rejects(kube.get(ConfigMaps, ref), { code: "KUBE_UNAVAILABLE", message: /bad gateway/ });
  await kube.close();
});

async function collect<T>(events: AsyncIterable<WatchEvent<T>>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(
      event.type === "BOOKMARK" ? `BOOKMARK ${event.resourceVersion}` : `${event.type} ${event.object.metadata.name}`,
    );
  }
  return seen;
}

test("a watch reads events however the bytes are cut, and ends when the server ends it", async () => {
  const lines = [
    { type: "ADDED", object: configMap("ä", "1") },
    { type: "BOOKMARK", object: { metadata: { resourceVersion: "5" } } },
    { type: "DELETED", object: configMap("b", "6") },
  ];
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await using api = await scriptedApi((_, response) => {
    void (async () => {
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        if (byte === 0x22) await new Promise(setImmediate);
      }
      response.end();
    })();
  });
  const kube = connect(api.config);
  const signal = new AbortController().signal;
  assert.deepEqual(await collect(kube.watch(ConfigMaps, { resourceVersion: "1", signal })), [
    "ADDED ä",
    "BOOKMARK 5",
    "DELETED b",
  ]);
  const query = api.asked[0]?.query;
  assert.equal(query?.get("allowWatchBookmarks"), "true");
  assert.equal(query?.get("resourceVersion"), "1");
  assert.ok(Number(query?.get("timeoutSeconds")) >= 240);
  await kube.close();
});

test("a watch of a version that is too old throws KUBE_GONE", async () => {
  await using api = await scriptedApi((_, response) => {
    response.end(
      `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } })}\n`,
    );
  });
  const kube = connect(api.config);
  const watch = kube.watch(ConfigMaps, { resourceVersion: "1", signal: new AbortController().signal });
  await assert.rejects(collect(watch), { code: "KUBE_GONE" });
  await kube.close();
});

test("a watch ends quietly when its signal aborts, and its connection with it", async () => {
  const closed = Promise.withResolvers<void>();
  await using api = await scriptedApi((_, response) => {
    response.write(`${JSON.stringify({ type: "ADDED", object: configMap("a", "1") })}\n`);
    response.on("close", closed.resolve);
  });
  const kube = connect(api.config);
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const event of kube.watch(ConfigMaps, { resourceVersion: "1", signal: stop.signal })) {
    seen.push(event.type);
    stop.abort();
  }
  assert.deepEqual(seen, ["ADDED"]);
  await closed.promise;
  await kube.close();
});

test("a watch whose server falls silent is unavailable after a while", async () => {
  await using api = await scriptedApi((_, response) => response.writeHead(200).flushHeaders());
  const kube = connect(api.config, { watchSilenceMs: 300 });
  const watch = kube.watch(ConfigMaps, { resourceVersion: "1", signal: new AbortController().signal });
  await assert.rejects(collect(watch), { code: "KUBE_UNAVAILABLE" });
  await kube.close();
});

test("a line that never ends is not collected for ever", async () => {
  await using api = await scriptedApi((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20, "x")));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const kube = connect(api.config);
  const watch = kube.watch(ConfigMaps, { resourceVersion: "1", signal: new AbortController().signal });
  await assert.rejects(collect(watch), { code: "KUBE_UNAVAILABLE", message: /longer than/ });
  await kube.close();
});
