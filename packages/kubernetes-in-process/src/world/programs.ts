import { join } from "node:path";
import type { ApiServer, PodLogs } from "../apiserver/server.ts";
import { runControllers } from "../controllers/run-controllers.ts";
import type { Kube } from "../../../controller-kit/src/kube/kube.ts";
import { runKubelet } from "../kubelet/kubelet.ts";
import type { Kubelet } from "../kubelet/kubelet.ts";
import { runServiceProxy } from "../kubelet/service/service-proxy.ts";
import { systemClock } from "../../../controller-kit/src/reconcile/system-clock.ts";
import type { WorldOptions } from "./options.ts";

/** What the programs of a world are started with. */
export interface ProgramOptions extends WorldOptions {
  readonly subnet: string;
  readonly server: ApiServer;
  readonly kube: Kube;
  readonly logs: LateLogs;
}

/** Logs whose source comes later than the API server that shows them. */
export interface LateLogs {
  readonly podLogs: PodLogs;
  comeFrom(kubelet: Kubelet): void;
}

const NODE_NAME = "local";

/** Starts controllers, service proxy and kubelet; `stop` resolves when no process of a pod is left. */
export async function startPrograms(options: ProgramOptions): Promise<{ stop(): Promise<void> }> {
  const controllers = startControllers(options);
  const proxy = await startProxy(options);
  const kubelet = await startKubelet(options);
  return {
    stop: async () => {
      // the controllers first, or they would make up for the pods that end
      await controllers.stop();
      await kubelet.stop();
      await proxy.stop();
    },
  };
}

/** Readers wait until a kubelet is there. */
export function lateLogs(): LateLogs {
  const source = Promise.withResolvers<Kubelet>();
  return {
    podLogs: async function* (pod, container, options, signal) {
      yield* (await source.promise).podLogs(pod, container, options, signal);
    },
    comeFrom: (kubelet) => {
      source.resolve(kubelet);
    },
  };
}

interface Program {
  stop(): Promise<void>;
}

function startControllers({ kube, log }: ProgramOptions): Program {
  const end = new AbortController();
  const stopped = runControllers({
    kube,
    clock: systemClock,
    log: log.with({ part: "controllers" }),
    signal: end.signal,
  });
  return stoppable(end, stopped);
}

async function startProxy({ kube, log }: ProgramOptions): Promise<Program> {
  const end = new AbortController();
  const part = log.with({ part: "service-proxy" });
  const { stopped } = await runServiceProxy({ kube, clock: systemClock, log: part, signal: end.signal });
  return stoppable(end, stopped);
}

async function startKubelet({ dir, log, kube, subnet, server, logs, images, retry }: ProgramOptions): Promise<Program> {
  const end = new AbortController();
  const kubelet = await runKubelet({
    kube,
    nodeName: NODE_NAME,
    dir: join(dir, "kubelet"),
    subnet,
    images,
    serviceAccountToken: async (namespace, name) => server.serviceAccountToken(namespace, name),
    apiServerUrl: server.url,
    caCertificate: server.caCertificate,
    clock: systemClock,
    log: log.with({ part: "kubelet" }),
    signal: end.signal,
    ...(retry === undefined ? {} : { retry }),
  });
  logs.comeFrom(kubelet);
  return stoppable(end, kubelet.stopped);
}

function stoppable(end: AbortController, stopped: Promise<void>): Program {
  return {
    stop: async () => {
      end.abort(new Error("the world ends"));
      await stopped;
    },
  };
}
