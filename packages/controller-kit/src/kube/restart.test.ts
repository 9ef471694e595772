import assert from "node:assert/strict";
import { copyFile, mkdtempDisposable, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../testing/until.ts";
import { startApiServer } from "../../../kubernetes-in-process/src/apiserver/server.ts";
import { silentLog } from "../base/log.ts";
import { systemClock } from "../reconcile/system-clock.ts";
import { ConfigMaps } from "./builtin.ts";
import { connect } from "./client.ts";
import type { Kube } from "./kube.ts";
import { loadKubeConfig } from "./config.ts";
import { startInformer } from "./informer.ts";

const namespace = "default";

test("an informer survives a restart of the API server and catches up without listing again", async () => {
  await using stack = new AsyncDisposableStack();
  const { kube, stop, start } = await startServer(stack);
  let lists = 0;
  const counted: Kube = { ...kube, list: (...given) => ((lists += 1), kube.list(...given)) };
  const informer = startInformer(counted, ConfigMaps, informerOptions(stack));
  await informer.synced;
  await kube.create(ConfigMaps, { metadata: { name: "before", namespace } });
  await until("it knows", () => informer.get({ name: "before", namespace }) !== undefined);
  await stop();
  await start();
  await until("the server answers", () =>
    kube.delete(ConfigMaps, { name: "before", namespace }).then(
      () => true,
      () => false,
    ),
  );
  await kube.create(ConfigMaps, { metadata: { name: "after", namespace } });
  await until("it has caught up", () => informer.get({ name: "after", namespace }) !== undefined);
  assert.equal(informer.get({ name: "before", namespace }), undefined);
  assert.equal(lists, 1);
});

test("an informer goes back with a storage that was restored, once the server has refused its watches", async () => {
  await using stack = new AsyncDisposableStack();
  const { kube, dataDir, stop, start } = await startServer(stack);
  const ref = { name: "record", namespace };
  await kube.create(ConfigMaps, { metadata: ref, data: { value: "kept" } });
  await stop();
  const backup = join(dataDir, "backup");
  await copyFile(join(dataDir, "store.log"), backup);
  await start();
  const informer = startInformer(kube, ConfigMaps, informerOptions(stack));
  await informer.synced;
  const write = (value: string) => kube.patch(ConfigMaps, ref, { type: "merge", body: { data: { value } } });
  for (const value of ["later", "last"]) await write(value);
  await kube.create(ConfigMaps, { metadata: { name: "new", namespace } });
  await until("it follows", () => informer.get({ name: "new", namespace }) !== undefined);
  await stop();
  await rename(backup, join(dataDir, "store.log"));
  await start();
  await until("it has gone back", () => informer.get(ref)?.data?.["value"] === "kept", { withinMs: 30_000 });
  await until("what was made since is gone", () => informer.get({ name: "new", namespace }) === undefined);
  await write("after");
  await until("it follows again", () => informer.get(ref)?.data?.["value"] === "after");
});

/** A server that can be stopped and started again at its address, with its data. */
async function startServer(stack: AsyncDisposableStack): Promise<RestartableServer> {
  const { path: dataDir } = stack.use(await mkdtempDisposable(join(tmpdir(), "api-")));
  const startAt = (port: number): ReturnType<typeof startApiServer> =>
    startApiServer({ dataDir, host: "127.0.0.1", port, clock: systemClock, log: silentLog });
  let server = await startAt(0);
  stack.defer(() => server.close());
  const admin = loadKubeConfig({ KUBECONFIG: "admin" }, () => server.kubeconfigs.admin);
  const kube = stack.adopt(connect(admin), (client) => client.close());
  const port = Number(new URL(server.url).port);
  const start = async (): Promise<void> => void (server = await startAt(port));
  return { kube, dataDir, stop: () => server.close(), start };
}

interface RestartableServer {
  readonly kube: ReturnType<typeof connect>;
  readonly dataDir: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

function informerOptions(stack: AsyncDisposableStack): Parameters<typeof startInformer>[2] {
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  return { namespace, log: silentLog, clock: systemClock, signal: stop.signal };
}
