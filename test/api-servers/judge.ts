import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadKubeConfig } from "../../src/ports/kube/config.ts";
import { bindKubectl, foundKubectls, type Kubectl } from "../kubectl/kubectl.ts";
import { VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { testApi } from "../kit/kubernetes/api-server.ts";
import type { GuardedApi } from "../kit/kubernetes/permission-scene.ts";

/** An API server that judges what is asked of it, and a kubectl of its administrator. */
export interface Judge extends GuardedApi {
  readonly kubectl: Kubectl;
}

/** The embedded API server, with an empty store. */
export async function embeddedJudge(): Promise<Judge & AsyncDisposable> {
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

/** A real kube-apiserver with its controllers; only where the assets `api` are there. */
export async function realJudge(...apiServerArguments: readonly string[]): Promise<Judge & AsyncDisposable> {
  const plane = await startControlPlane({ apiServerArguments });
  return {
    kube: plane.kube,
    config: loadKubeConfig({ KUBECONFIG: plane.kubeconfig }),
    kubectl: bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
}
