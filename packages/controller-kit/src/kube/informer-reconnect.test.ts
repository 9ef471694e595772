import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { informerScene, ListServer } from "../testing/informer-scene.ts";
import { configMap, answerStatus, type RecordedRequest } from "../testing/scripted-api.ts";
import { until } from "../testing/until.ts";

test("a watch that the server ends is resumed from the last version, bookmarks included", async () => {
  const server = new ListServer();
  await using scene = await informerScene(server);
  const { informer } = scene;
  await informer.synced;
  await until("it watches", () => server.watches.length === 1);
  server.send("ADDED", configMap("b", "2"));
  server.send("BOOKMARK", { metadata: { resourceVersion: "9" } });
  server.watches[0]?.response.end();
  await until("it watches again", () => server.watches.length === 2);
  assert.equal(server.watches[1]?.from, "9");
  assert.equal(server.lists, 1);
});

test("after a 410 it lists again and reports what happened meanwhile", async () => {
  const server = new ListServer();
  server.items = [configMap("a", "1"), configMap("b", "1")];
  await using scene = await informerScene(server);
  const { informer, seen } = scene;
  await informer.synced;
  await until("it watches", () => server.watches.length === 1);
  server.items = [configMap("b", "7"), configMap("c", "8")];
  server.version = "8";
  server.send("ERROR", { kind: "Status", code: 410, reason: "Expired" });
  await until("it watches again", () => server.watches.length === 2);
  assert.deepEqual(seen.slice(2), ["ns/a 1>-", "ns/b 1>7", "ns/c ->8"]);
  assert.equal(server.watches[1]?.from, "8");
});

/** How a watch breaks without the server having forgotten anything. */
const breaks: readonly { readonly what: string; readonly end: (server: ListServer) => void }[] = [
  { what: "a broken connection", end: (server) => server.watches.at(-1)?.response.destroy() },
  {
    what: "a server that says it is overloaded",
    end: (server) => server.send("ERROR", { kind: "Status", code: 429, reason: "TooManyRequests" }),
  },
  {
    what: "a line that is no JSON",
    end: (server) => server.watches.at(-1)?.response.write("upstream connect error\n"),
  },
];

for (const { what, end } of breaks) {
  test(`after ${what} it goes on from the last version and lists nothing again`, async () => {
    const server = new ListServer();
    await using scene = await informerScene(server);
    const { informer, seen } = scene;
    await informer.synced;
    await until("it watches", () => server.watches.length === 1);
    server.send("ADDED", configMap("a", "4"));
    await until("the event arrives", () => seen.length === 1);
    end(server);
    await until("it watches again", () => server.watches.length === 2);
    assert.equal(server.watches[1]?.from, "4");
    assert.equal(server.lists, 1);
  });
}

test("however long the server cannot be reached, it goes on from the last version", async () => {
  const server = new ListServer();
  await using scene = await informerScene(server);
  const { informer } = scene;
  await informer.synced;
  for (const round of [1, 2, 3, 4, 5]) {
    await until("it watches", () => server.watches.length === round);
    server.watches.at(-1)?.response.destroy();
  }
  await until("it watches", () => server.watches.length === 6);
  assert.equal(server.watches.at(-1)?.from, "1");
  assert.equal(server.lists, 1);
});

test("a version that the server refuses to watch from three times in a row is given up for a list", async () => {
  const server = new ListServer();
  await using scene = await informerScene(server);
  const { informer } = scene;
  await informer.synced;
  for (const round of [1, 2, 3]) {
    await until("it watches", () => server.watches.length === round);
    assert.equal(server.lists, 1);
    if (round === 3) server.version = "2"; // the storage was set back, and counts anew
    server.send("ERROR", { kind: "Status", code: 504, reason: "Timeout", message: "Too large resource version" });
  }
  await until("it watches from what was listed", () => server.watches.at(-1)?.from === "2");
  assert.equal(server.lists, 2);
});

/** Answers that a real API server gives now and then; an informer recovers from each. */
const troubles: readonly { what: string; answer: (response: ServerResponse) => void }[] = [
  {
    what: "429 while the storage of a new kind is set up",
    answer: (response) => answerStatus(response, 429, "storage is (re)initializing", { "retry-after": "0" }),
  },
  {
    what: "429 of priority and fairness",
    answer: (response) => answerStatus(response, 429, "TooManyRequests", { "x-kubernetes-pf-flowschema-uid": "x" }),
  },
  { what: "the HTTP status 410", answer: (response) => answerStatus(response, 410, "Expired") },
  { what: "503 of a server that ends", answer: (response) => answerStatus(response, 503, "ServiceUnavailable") },
  { what: "401 while credentials change", answer: (response) => answerStatus(response, 401, "Unauthorized") },
  { what: "the page of a proxy", answer: (response) => response.writeHead(502).end("<html>bad gateway</html>") },
  {
    what: "half a JSON text",
    answer: (response) => response.writeHead(200).end('{"metadata":{"resourceVersion":"1"},"it'),
  },
  {
    what: "fewer bytes than announced",
    answer: (response) => {
      response.writeHead(200, { "content-length": "500" });
      response.write('{"metadata":');
      response.destroy();
    },
  },
  { what: "silence for longer than a request may take", answer: () => undefined },
];
for (const { what, answer } of troubles) {
  describe(`an informer recovers from ${what}`, { concurrency: true }, () => {
    for (const request of ["list", "watch"] as const) {
      test(`as the answer to a ${request}`, async () => {
        const server = new ListServer();
        server.items = [configMap("a", "1")];
        let left = 3;
        const spoil = (asked: RecordedRequest, response: ServerResponse): void => {
          const isWatch = asked.query.get("watch") === "true";
          if (isWatch !== (request === "watch") || left === 0) return server.answer(asked, response);
          left -= 1;
          answer(response);
        };
        await using scene = await informerScene(server, { answer: spoil, requestTimeoutMs: 150 });
        const { informer } = scene;
        await informer.synced;
        let watches = 0;
        await until("it follows", () => {
          // an answer that comes late is asked for again, on a slow machine too
          if (server.watches.length > watches) server.send("ADDED", configMap("b", "2"));
          watches = server.watches.length;
          return informer.list().length === 2;
        });
        assert.equal(left, 0);
      });
    }
  });
}

test("a watch that ends amid an event is resumed before that event", async () => {
  const server = new ListServer();
  await using scene = await informerScene(server);
  const { informer } = scene;
  await informer.synced;
  await until("it watches", () => server.watches.length === 1);
  server.send("ADDED", configMap("a", "5"));
  server.watches[0]?.response.end('{"type":"ADDED","object":{"metadata":{"name":"b","na');
  await until("it watches again", () => server.watches.length === 2);
  assert.equal(server.watches[1]?.from, "5");
  server.send("ADDED", configMap("b", "6"));
  await until("nothing is missing", () => informer.list().length === 2);
  assert.equal(server.lists, 1);
});
