import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { configMap, refuse, reply, scriptedApi, type Asked } from "../../../test/kit/kubernetes/scripted-api.ts";
import { until } from "../../../test/kit/time/until.ts";
import { FakeClock } from "../../../test/kit/time/fake-clock.ts";
import { silentLog } from "../../core/base/log.ts";
import { systemClock } from "../../mechanisms/reconcile/system-clock.ts";
import { ConfigMaps } from "./builtin.ts";
import { connect } from "./client.ts";
import { startInformer, type Informer } from "./informer.ts";

/** A server with a list that a test changes, and watches that a test speaks through. */
class World {
  items: object[] = [];
  version = "1";
  failLists = 0;
  retryAfter = "0";
  readonly watches: { readonly from: string | null; readonly response: ServerResponse }[] = [];
  lists = 0;

  answer = (asked: Asked, response: ServerResponse): void => {
    if (asked.query.get("watch") === "true") {
      response.writeHead(200).flushHeaders();
      this.watches.push({ from: asked.query.get("resourceVersion"), response });
      return;
    }
    this.lists += 1;
    if (this.failLists > 0) {
      this.failLists -= 1;
      refuse(response, 429, "storage is (re)initializing", { "retry-after": this.retryAfter });
      return;
    }
    reply(response, { metadata: { resourceVersion: this.version }, items: this.items });
  };

  send(type: string, object: object): void {
    this.watches.at(-1)?.response.write(`${JSON.stringify({ type, object })}\n`);
  }
}

function changesOf(informer: Informer<ConfigMap>): string[] {
  const seen: string[] = [];
  informer.onChange((ref, current, previous) => {
    const part = (object: typeof current): string => object?.metadata.resourceVersion ?? "-";
    seen.push(`${ref.namespace}/${ref.name} ${part(previous)}>${part(current)}`);
  });
  return seen;
}

async function informed(
  body: (world: World, informer: Informer<ConfigMap>, seen: string[]) => Promise<void>,
  world = new World(),
): Promise<void> {
  await using api = await scriptedApi(world.answer);
  const kube = connect(api.config);
  const stop = new AbortController();
  const informer = startInformer(kube, ConfigMaps, {
    namespace: "ns",
    log: silentLog,
    clock: systemClock,
    signal: stop.signal,
  });
  const seen = changesOf(informer);
  try {
    await body(world, informer, seen);
  } finally {
    stop.abort();
    await kube.close();
  }
}

test("the cache follows list and watch, and handlers see each change once", async () => {
  const world = new World();
  world.items = [configMap("a", "1")];
  await informed(async (_, informer, seen) => {
    await informer.synced;
    await until("it watches", () => world.watches.length === 1);
    world.send("ADDED", configMap("b", "2"));
    world.send("MODIFIED", configMap("a", "3"));
    world.send("MODIFIED", configMap("a", "3"));
    world.send("DELETED", configMap("b", "4"));
    await until("all came", () => seen.length === 4);
    assert.deepEqual(seen, ["ns/a ->1", "ns/b ->2", "ns/a 1>3", "ns/b 4>-"]);
    assert.equal(informer.get({ name: "a", namespace: "ns" })?.metadata.resourceVersion, "3");
    assert.deepEqual(
      informer.list().map(({ metadata }) => metadata.name),
      ["a"],
    );
    const late = changesOf(informer);
    assert.deepEqual(late, ["ns/a ->3"], "a handler that comes late is told what is there");
  }, world);
});

test("a watch that the server ends is resumed from the last version, bookmarks included", async () => {
  await informed(async (world, informer) => {
    await informer.synced;
    await until("it watches", () => world.watches.length === 1);
    world.send("ADDED", configMap("b", "2"));
    world.send("BOOKMARK", { metadata: { resourceVersion: "9" } });
    world.watches[0]?.response.end();
    await until("it watches again", () => world.watches.length === 2);
    assert.equal(world.watches[1]?.from, "9");
    assert.equal(world.lists, 1);
  });
});

test("after a 410 it lists again and reports what happened meanwhile", async () => {
  const world = new World();
  world.items = [configMap("a", "1"), configMap("b", "1")];
  await informed(async (_, informer, seen) => {
    await informer.synced;
    await until("it watches", () => world.watches.length === 1);
    world.items = [configMap("b", "7"), configMap("c", "8")];
    world.version = "8";
    world.send("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    await until("it watches again", () => world.watches.length === 2);
    assert.deepEqual(seen.slice(2), ["ns/a 1>-", "ns/b 1>7", "ns/c ->8"]);
    assert.equal(world.watches[1]?.from, "8");
  }, world);
});

/** How a watch breaks without the server having forgotten anything. */
const breaks: readonly { readonly what: string; readonly end: (world: World) => void }[] = [
  { what: "a broken connection", end: (world) => world.watches.at(-1)?.response.destroy() },
  {
    what: "a server that says it is overloaded",
    end: (world) => world.send("ERROR", { kind: "Status", code: 429, reason: "TooManyRequests" }),
  },
  {
    what: "a line that is no JSON",
    end: (world) => world.watches.at(-1)?.response.write("upstream connect error\n"),
  },
];

for (const { what, end } of breaks) {
  test(`after ${what} it goes on from the last version and lists nothing again`, async () => {
    await informed(async (world, informer, seen) => {
      await informer.synced;
      await until("it watches", () => world.watches.length === 1);
      world.send("ADDED", configMap("a", "4"));
      await until("it is heard", () => seen.length === 1);
      end(world);
      await until("it watches again", () => world.watches.length === 2);
      assert.equal(world.watches[1]?.from, "4");
      assert.equal(world.lists, 1);
    });
  });
}

test("however long the server cannot be reached, it goes on from the last version", async () => {
  await informed(async (world, informer) => {
    await informer.synced;
    for (const round of [1, 2, 3, 4, 5]) {
      await until("it watches", () => world.watches.length === round);
      world.watches.at(-1)?.response.destroy();
    }
    await until("it watches", () => world.watches.length === 6);
    assert.equal(world.watches.at(-1)?.from, "1");
    assert.equal(world.lists, 1);
  });
});

test("a version that the server refuses to watch from three times in a row is given up for a list", async () => {
  await informed(async (world, informer) => {
    await informer.synced;
    for (const round of [1, 2, 3]) {
      await until("it watches", () => world.watches.length === round);
      assert.equal(world.lists, 1);
      if (round === 3) world.version = "2"; // the storage was set back, and counts anew
      world.send("ERROR", { kind: "Status", code: 504, reason: "Timeout", message: "Too large resource version" });
    }
    await until("it watches from what was listed", () => world.watches.at(-1)?.from === "2");
    assert.equal(world.lists, 2);
  });
});

test("a server that is still starting is asked until it answers", async () => {
  const world = new World();
  world.failLists = 2;
  world.items = [configMap("a", "1")];
  await informed(async (_, informer) => {
    await informer.synced;
    assert.equal(world.lists, 3);
    assert.equal(informer.list().length, 1);
  }, world);
});

test("a handler that throws disturbs neither the cache nor the other handlers", async () => {
  await informed(async (world, informer) => {
    informer.onChange(() => {
      throw new Error("bad handler");
    });
    const seen = changesOf(informer);
    await until("it watches", () => world.watches.length === 1);
    world.send("ADDED", configMap("a", "2"));
    await until("the other is told", () => seen.length === 1);
  });
});

test("failures are followed by pauses that grow, and a stop ends them", async () => {
  const world = new World();
  world.failLists = Infinity;
  await using api = await scriptedApi(world.answer);
  const kube = connect(api.config);
  const stop = new AbortController();
  const clock = new FakeClock();
  const informer = startInformer(kube, ConfigMaps, { log: silentLog, clock, signal: stop.signal });
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    await until("it pauses", () => clock.sleeping === 1);
    assert.equal(world.lists, attempt);
    const began = clock.now().getTime();
    while (clock.sleeping === 1) await clock.advance(10);
    waits.push(clock.now().getTime() - began);
  }
  assert.ok((waits[0] ?? 0) <= 200 && (waits[6] ?? 0) >= 2_500 && Math.max(...waits) <= 5_000, waits.join());
  stop.abort(new Error("stopped"));
  await assert.rejects(informer.synced, /stopped/);
  await kube.close();
});

/** What a real API server does now and then, and what an informer must get over by itself. */
const troubles: readonly { what: string; answer: (response: ServerResponse) => void }[] = [
  {
    what: "429 while the storage of a new kind is set up",
    answer: (response) => refuse(response, 429, "storage is (re)initializing", { "retry-after": "0" }),
  },
  {
    what: "429 of priority and fairness",
    answer: (response) => refuse(response, 429, "TooManyRequests", { "x-kubernetes-pf-flowschema-uid": "x" }),
  },
  { what: "410 as the answer itself", answer: (response) => refuse(response, 410, "Expired") },
  { what: "503 of a server that ends", answer: (response) => refuse(response, 503, "ServiceUnavailable") },
  { what: "401 while credentials change", answer: (response) => refuse(response, 401, "Unauthorized") },
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
  for (const request of ["list", "watch"] as const) {
    test(`${what} as the answer to a ${request} is got over`, async () => {
      const world = new World();
      world.items = [configMap("a", "1")];
      let left = 3;
      await using api = await scriptedApi((asked, response) => {
        const isWatch = asked.query.get("watch") === "true";
        if (isWatch !== (request === "watch") || left === 0) return world.answer(asked, response);
        left -= 1;
        answer(response);
      });
      const kube = connect(api.config, { requestTimeoutMs: 150 });
      const stop = new AbortController();
      const informer = startInformer(kube, ConfigMaps, { log: silentLog, clock: systemClock, signal: stop.signal });
      await informer.synced;
      await until("it watches", () => world.watches.length === 1);
      world.send("ADDED", configMap("b", "2"));
      await until("it follows", () => informer.list().length === 2);
      assert.equal(left, 0);
      stop.abort();
      await kube.close();
    });
  }
}

test("a watch that ends amid an event is resumed before that event", async () => {
  await informed(async (world, informer) => {
    await informer.synced;
    await until("it watches", () => world.watches.length === 1);
    world.send("ADDED", configMap("a", "5"));
    world.watches[0]?.response.end('{"type":"ADDED","object":{"metadata":{"name":"b","na');
    await until("it watches again", () => world.watches.length === 2);
    assert.equal(world.watches[1]?.from, "5");
    world.send("ADDED", configMap("b", "6"));
    await until("nothing is missing", () => informer.list().length === 2);
    assert.equal(world.lists, 1);
  });
});

test("a server that says when to come back is left alone until then", async () => {
  const world = new World();
  world.failLists = 1;
  world.retryAfter = "1";
  await using api = await scriptedApi(world.answer);
  const kube = connect(api.config);
  const stop = new AbortController();
  const clock = new FakeClock();
  const informer = startInformer(kube, ConfigMaps, { log: silentLog, clock, signal: stop.signal });
  await until("it pauses", () => clock.sleeping === 1);
  await clock.advance(1_000);
  assert.equal(clock.sleeping, 1);
  await clock.advance(200);
  await informer.synced;
  assert.equal(world.lists, 2);
  stop.abort();
  await kube.close();
});
