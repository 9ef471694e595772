import assert from "node:assert/strict";
import { test } from "node:test";
import { isFault } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import { faults } from "../../core/migration/faults.ts";
import { destinationsOf } from "../../core/slots/passage.ts";
import { engineNames, startEngine, type TestEngine } from "../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../test/kit/engines/proxy.ts";
import { startAll } from "../../../test/kit/engines/start-all.ts";
import { CountingClients } from "../../../test/kit/migration/counting-clients.ts";
import { writeTypedKeys } from "../../../test/kit/mover/typed-keys.ts";
import { Migration } from "./migration.ts";

const ALL = [{ from: 0, to: 16_383 }];
const ONE_SHARD = destinationsOf(ALL, [ALL]);
const PAUSE_MS = 5_000;
const NEWEST = engineNames().findLast((name) => name.startsWith("valkey"));

for (const engine of engineNames().filter((name) => /^redis-7|^valkey-8\.1/.test(name)))
  test(`${engine} under load is led into an endpoint: nothing is lost, and no key differs`, async (t) => {
    await using scene = await Scene.begin(engine);
    const { source, target, endpoint } = scene;
    const writer = await source.connect();
    await writeTypedKeys(writer, { each: 20, isRedis8: false });
    await writer.call("SELECT", 3);
    await writer.call("SET", "in another database", "value");
    await writer.call("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return 1 end)");
    writer.close();
    const clients = new CountingClients(4);
    clients.begin(source, endpoint);
    await until("clients have written before", () => clients.acknowledged > 200);

    using migration = await scene.migration();
    await migration.copied();
    await migration.compare([0, 3]);
    const before = clients.acknowledged;
    await until("clients have written meanwhile", () => clients.acknowledged > before + 200);
    await migration.lookAtOpen();
    const { pausedMs } = await migration.handOver(PAUSE_MS);
    const cutAt = clients.acknowledged;
    await until("clients go on at the endpoint", () => clients.acknowledged > cutAt + 200);
    await clients.stop();

    assert.equal(clients.failed, 0);
    assert.deepEqual(await clients.writtenAt(endpoint), clients.expected);
    const { isWhole, open } = await migration.progress();
    assert.deepEqual([isWhole, open], [true, 0]);
    await scene.letWrite();
    const written = clients.expected.flatMap((_, at) => [`count:${at}`, `list:${at}`]);
    for (const engineOf of [source, target]) await engineOf.call("DEL", ...written);
    assert.equal(await target.call("DEBUG", "DIGEST"), await source.call("DEBUG", "DIGEST"));
    assert.match(JSON.stringify(await target.call("FUNCTION", "LIST")), /"l"/);
    t.diagnostic(`writes waited ${pausedMs.toFixed(1)} ms, the longest one ${clients.longestMs.toFixed(1)} ms`);
  });

test("a key that differs at the endpoint keeps the source from being ended, and it goes on", async () => {
  await using scene = await Scene.begin(engineNames()[0]);
  const { source, target } = scene;
  await source.call("SET", "key", "value");
  using migration = await scene.migration();
  await migration.copied();
  await target.call("SET", "key", "another");
  await target.call("SET", "further", "value");
  await migration.compare([0]);
  assert.equal((await migration.progress()).open, 2);
  await assert.rejects(
    migration.handOver(300),
    (error) => isFault(error, faults.notInTime) && /2 keys/.test(error.message),
  );
  assert.equal(await source.call("SET", "key", "value"), "OK");
  await target.call("DEL", "further");
  await migration.copied();
  await migration.handOver(PAUSE_MS);
  await assert.rejects(source.call("SET", "key", "later"), /NOREPLICAS/);
});

test("an endpoint that refuses a write ends the migration with what it said", async () => {
  await using scene = await Scene.begin(engineNames()[0], ["--maxmemory", "1kb"]);
  await scene.source.call("SET", "key", "value");
  using migration = await scene.migration();
  await assert.rejects(migration.copied(), (error) => isFault(error, faults.refusedWrite) && /OOM/.test(error.message));
});

/** A source, and an endpoint in front of an engine. */
class Scene implements AsyncDisposable {
  readonly source: TestEngine;
  readonly target: TestEngine;
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly #proxy: Awaited<ReturnType<typeof startProxy>>;
  readonly #end = new AbortController();

  private constructor(source: TestEngine, target: TestEngine, proxy: Awaited<ReturnType<typeof startProxy>>) {
    this.source = source;
    this.target = target;
    this.#proxy = proxy;
    this.endpoint = endpointFor(target).listen;
  }

  static async begin(engine: string | undefined, args: readonly string[] = []): Promise<Scene> {
    const [source, target, proxy] = await startAll(
      startEngine({ engine }),
      startEngine({ engine: NEWEST, args }),
      startProxy(),
    );
    const scene = new Scene(source, target, proxy);
    await done(proxy.send({ op: "configure", endpoints: [endpointFor(target, { listen: scene.endpoint })] }));
    return scene;
  }

  migration(): Promise<Migration> {
    const { source, endpoint } = this;
    return Migration.begin({ source, endpoint, shards: ONE_SHARD, signal: this.#end.signal });
  }

  async letWrite(): Promise<void> {
    await this.source.call("CONFIG", "SET", "min-replicas-to-write", 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all([this.source.stop(), this.target.stop(), this.#proxy.stop()]);
  }
}
