import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadKubeConfig } from "#kit/kube/config";
import { bindKubectl, type Kubectl } from "../kit/kubernetes/kubectl.ts";
import { foundKubectls } from "./kubectls.ts";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { testApi } from "#kubernetes/testing/api-server";
import type { GuardedApi } from "../kit/kubernetes/permission-scene.ts";

/** An API server with authorization and admission, and a kubectl of its administrator. */
export interface TestServer extends GuardedApi {
  readonly kubectl: Kubectl;
}

/** The embedded API server, with an empty store. */
export async function startEmbeddedServer(): Promise<TestServer & AsyncDisposable> {
  const [binary] = foundKubectls();
  if (binary === undefined) throw new Error("no kubectl on PATH or in STORE_KUBECTL");
  const api = await testApi();
  const kubeconfig = join(api.folder, "admin.kubeconfig");
  writeFileSync(kubeconfig, api.server.kubeconfigs.admin, { mode: 0o600 });
  return {
    kube: api.kube,
    config: api.config,
    kubectl: bindKubectl(binary, kubeconfig, api.folder),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

/** Runs tests on a real kube-apiserver with its controllers; where there is none, one skipped test says why. */
export async function onRealServer(
  tests: (server: TestServer) => Promise<void>,
  ...apiServerArguments: readonly string[]
): Promise<void> {
  const skip = skipWithout("api");
  if (skip !== false) return test("on a real API server", { skip }, () => undefined);
  await using server = await startRealServer(apiServerArguments);
  await tests(server);
}

async function startRealServer(apiServerArguments: readonly string[]): Promise<TestServer & AsyncDisposable> {
  const plane = await startControlPlane({ apiServerArguments });
  return {
    kube: plane.kube,
    config: loadKubeConfig({ KUBECONFIG: plane.kubeconfig }),
    kubectl: bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
}
