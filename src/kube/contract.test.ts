import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { testApi, type TestApi } from "../../test/kit/api-server.ts";
import { until } from "../../test/kit/until.ts";
import { startApiServer } from "../apiserver/server.ts";
import { silentLog } from "../base/log.ts";
import { systemClock } from "../reconcile/system-clock.ts";
import { ConfigMaps, Deployments, Events, Pods } from "./builtin.ts";
import { connect } from "./client.ts";
import { loadKubeConfig } from "./config.ts";
import { eventRecorder } from "./events.ts";
import { startInformer } from "./informer.ts";
import type { Kube } from "./kube.ts";
import { refOf } from "./ref.ts";

const namespace = "default";

describe("the client against a real API server", () => {
  let api: TestApi;
  let kube: Kube;
  before(async () => {
    api = await testApi();
    kube = api.kube;
  });
  after(() => api[Symbol.asyncDispose]());

  test("an update with an old resourceVersion is a conflict", async () => {
    const first = await kube.create(ConfigMaps, { metadata: { name: "cas", namespace }, data: { a: "1" } });
    const second = await kube.update(ConfigMaps, { ...first, data: { a: "2" } });
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    await assert.rejects(kube.update(ConfigMaps, { ...first, data: { a: "3" } }), { code: "KUBE_CONFLICT" });
    await assert.rejects(kube.create(ConfigMaps, { metadata: { name: "cas", namespace } }), {
      code: "KUBE_ALREADY_EXISTS",
    });
    await assert.rejects(kube.delete(ConfigMaps, refOf(first), { uid: "another" }), { code: "KUBE_CONFLICT" });
  });

  test("apply twice without a change keeps the resourceVersion, and fields of others need force", async () => {
    const wanted = { metadata: { name: "applied", namespace }, data: { a: "1" } };
    const once = await kube.apply(ConfigMaps, wanted, { fieldManager: "one" });
    const twice = await kube.apply(ConfigMaps, wanted, { fieldManager: "one" });
    assert.equal(twice.metadata.resourceVersion, once.metadata.resourceVersion);
    const other = { ...wanted, data: { a: "2" } };
    await assert.rejects(kube.apply(ConfigMaps, other, { fieldManager: "two" }), { code: "KUBE_CONFLICT" });
    assert.equal((await kube.apply(ConfigMaps, other, { fieldManager: "two", force: true })).data?.["a"], "2");
  });

  test("each kind of patch does what it says, and a dry run nothing", async () => {
    const ref = refOf(
      await kube.create(ConfigMaps, { metadata: { name: "patched", namespace }, data: { a: "1", b: "2" } }),
    );
    await kube.patch(ConfigMaps, ref, { type: "merge", body: { data: { a: null } } });
    await kube.patch(ConfigMaps, ref, { type: "json", operations: [{ op: "add", path: "/data/c", value: "3" }] });
    const dry = await kube.patch(ConfigMaps, ref, { type: "strategic", body: { data: { d: "4" } } }, { dryRun: true });
    assert.deepEqual(dry.data, { b: "2", c: "3", d: "4" });
    assert.deepEqual((await kube.get(ConfigMaps, ref))?.data, { b: "2", c: "3" });
  });

  test("what the schema forbids is invalid, and the message names the field", async () => {
    const wrong = {
      metadata: { name: "wrong", namespace },
      spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "c" } } } },
    };
    await assert.rejects(kube.create(Deployments, wrong), { code: "KUBE_INVALID", message: /spec\.template/ });
  });

  test("a stranger without token or certificate is turned away", async () => {
    const { clientCertificate: _, ...anonymous } = api.config;
    const stranger = connect(anonymous);
    await assert.rejects(
      stranger.list(Pods),
      (error) =>
        error instanceof Error &&
        "code" in error &&
        ["KUBE_FORBIDDEN", "KUBE_UNAUTHORIZED"].includes(String(error.code)),
    );
    await stranger.close();
  });

  test("a repeated event is one event with a count", async () => {
    const about = await kube.create(ConfigMaps, { metadata: { name: "talked-about", namespace } });
    const recorder = eventRecorder(kube, { component: "tester", clock: systemClock, log: silentLog });
    for (let n = 0; n < 3; n += 1) recorder.record(about, "Warning", "Tried", "it did not work");
    await recorder.flush();
    const { items } = await kube.list(Events, { namespace, fieldSelector: "involvedObject.name=talked-about" });
    assert.deepEqual(
      items.map(({ count, reason }) => [count, reason]),
      [[3, "Tried"]],
    );
  });
});

test("an informer survives a restart of the API server and catches up", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "api-"));
  const start = (port: number): ReturnType<typeof startApiServer> =>
    startApiServer({ dataDir, host: "127.0.0.1", port, clock: systemClock, log: silentLog });
  let server = await start(0);
  const kube = connect(loadKubeConfig({ KUBECONFIG: "admin" }, () => server.kubeconfigs.admin));
  const stop = new AbortController();
  const informer = startInformer(kube, ConfigMaps, {
    namespace,
    log: silentLog,
    clock: systemClock,
    signal: stop.signal,
  });
  await informer.synced;
  await kube.create(ConfigMaps, { metadata: { name: "before", namespace } });
  await until("it knows", () => informer.get({ name: "before", namespace }) !== undefined);
  const { port } = new URL(server.url);
  await server.close();
  server = await start(Number(port));
  await until("the server answers", () =>
    kube.delete(ConfigMaps, { name: "before", namespace }).then(
      () => true,
      () => false,
    ),
  );
  await kube.create(ConfigMaps, { metadata: { name: "after", namespace } });
  await until("it has caught up", () => informer.get({ name: "after", namespace }) !== undefined);
  assert.equal(informer.get({ name: "before", namespace }), undefined);
  stop.abort();
  await Promise.all([kube.close(), server.close()]);
  rmSync(dataDir, { recursive: true });
});
