import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, type ApiServer } from "../world/index.ts";
import { silentLog } from "../../../controller-kit/src/base/log.ts";
import { connect } from "../../../controller-kit/src/kube/client.ts";
import { loadKubeConfig } from "../../../controller-kit/src/kube/config.ts";
import type { KubeConfig } from "../../../controller-kit/src/kube/kubeconfig.ts";
import type { Kube } from "../../../controller-kit/src/kube/kube.ts";
import { systemClock } from "../../../controller-kit/src/reconcile/system-clock.ts";

export interface TestApi extends AsyncDisposable {
  readonly server: ApiServer;
  /** Where it keeps its data; removed at the end. */
  readonly folder: string;
  readonly config: KubeConfig;
  /** As the cluster's administrator. */
  readonly kube: Kube;
}

/** A real API server with an empty store, on a free port of loopback. */
export async function testApi(): Promise<TestApi> {
  await using stack = new AsyncDisposableStack();
  const dataDir = stack.use(await mkdtempDisposable(join(tmpdir(), "api-"))).path;
  const server = await startApiServer({ dataDir, host: "127.0.0.1", port: 0, clock: systemClock, log: silentLog });
  stack.defer(() => server.close());
  const config = loadKubeConfig({ KUBECONFIG: "admin" }, () => server.kubeconfigs.admin);
  const kube = stack.adopt(connect(config), (client) => client.close());
  const owned = stack.move();
  return {
    server,
    folder: dataDir,
    config,
    kube,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
