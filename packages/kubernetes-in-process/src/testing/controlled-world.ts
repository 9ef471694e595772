import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Deployment, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { silentLog } from "../../../controller-kit/src/base/log.ts";
import { runControllers } from "../world/index.ts";
import { Pods } from "../../../controller-kit/src/kube/builtin.ts";
import type { Kube, ResourceType, Stored, Wanted } from "../../../controller-kit/src/kube/kube.ts";
import { systemClock } from "../../../controller-kit/src/reconcile/system-clock.ts";
import { testApi } from "./api-server.ts";
import { runPods, type PodRunner } from "./pod-runner.ts";

export const namespace = "default";

/** An API server with the local world's controllers, and pods that a test decides about. */
export interface ControlledWorld extends AsyncDisposable {
  readonly kube: Kube;
  readonly pods: PodRunner;
  get<T>(type: ResourceType<T>, name: string): Promise<Stored<T> | undefined>;
  /** Pods with the label `app`, by name. */
  podsOf(app: string): Promise<Stored<Pod>[]>;
  setImage(type: ResourceType<Deployment> | ResourceType<StatefulSet>, name: string, image: string): Promise<void>;
  /** Output of a real kubectl. */
  kubectl(...args: string[]): Promise<string>;
}

/** Starts one; objects are in the namespace `default`. */
export async function controlledWorld(): Promise<ControlledWorld> {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await testApi());
  const stop = new AbortController();
  const { kube } = api;
  const kubeconfig = join(api.folder, "kubeconfig");
  writeFileSync(kubeconfig, api.server.kubeconfigs.admin, { mode: 0o600 });
  const pods = runPods(kube, stop.signal);
  const running = runControllers({ kube, clock: systemClock, log: silentLog, signal: stop.signal });
  stack.defer(() => running);
  stack.defer(() => stop.abort());
  const owned = stack.move();
  return {
    kube,
    pods,
    get: (type, name) => kube.get(type, { name, namespace }),
    podsOf: async (app) => {
      const { items } = await kube.list(Pods, { namespace, labelSelector: `app=${app}` });
      return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    setImage: async (type, name, image) => {
      const body = { spec: { template: { spec: { containers: [{ name: "main", image }] } } } };
      await kube.patch<object>(type, { name, namespace }, { type: "strategic", body });
    },
    kubectl: async (...args) => {
      const { stdout } = await promisify(execFile)("kubectl", ["--kubeconfig", kubeconfig, ...args], {
        timeout: 20_000,
      });
      return stdout;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** For tests that need a real kubectl: skipped where there is none. */
export const withKubectl = { skip: hasKubectl() ? false : "no kubectl on PATH" };

/** A Deployment of three pods, `over` replacing parts of its spec. */
export function deployment(name: string, over: object = {}): Wanted<Deployment> {
  const selector = { matchLabels: { app: name } };
  return { metadata: { name, namespace }, spec: { replicas: 3, selector, template: template(name), ...over } };
}

/** A StatefulSet of three pods, `over` replacing parts of its spec. */
export function statefulSet(name: string, over: object = {}): Wanted<StatefulSet> {
  const selector = { matchLabels: { app: name } };
  return {
    metadata: { name, namespace },
    spec: { replicas: 3, serviceName: name, selector, template: template(name), ...over },
  };
}

export function podImage(pod: Stored<Pod> | undefined): string {
  return pod?.spec?.containers[0]?.image ?? "";
}

function template(app: string): { metadata: object; spec: { containers: { name: string; image: string }[] } } {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: "main", image: "a:1" }] } };
}

function hasKubectl(): boolean {
  try {
    execFileSync("kubectl", ["version", "--client"], { stdio: "ignore" });
    return true;
  } catch {
    return false; // not on this machine
  }
}
