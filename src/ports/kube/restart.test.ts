import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../../test/kit/time/until.ts";
import { startApiServer } from "../../local-kubernetes/apiserver/server.ts";
import { silentLog } from "../../core/base/log.ts";
import { systemClock } from "../../mechanisms/reconcile/system-clock.ts";
import { ConfigMaps } from "./builtin.ts";
import { connect } from "./client.ts";
import type { Kube } from "./kube.ts";
import { loadKubeConfig } from "./config.ts";
import { startInformer } from "./informer.ts";

const namespace = "default";

test("an informer survives a restart of the API server and catches up without listing again", async () => {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(await mkdtempDisposable(join(tmpdir(), "api-")));
  const start = (port: number): ReturnType<typeof startApiServer> =>
    startApiServer({ dataDir, host: "127.0.0.1", port, clock: systemClock, log: silentLog });
  let server = await start(0);
  stack.defer(() => server.close());
  const admin = loadKubeConfig({ KUBECONFIG: "admin" }, () => server.kubeconfigs.admin);
  const kube = stack.adopt(connect(admin), (client) => client.close());
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  let lists = 0;
  const counted: Kube = { ...kube, list: (...given) => ((lists += 1), kube.list(...given)) };
  const informer = startInformer(counted, ConfigMaps, {
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
  assert.equal(lists, 1);
});
