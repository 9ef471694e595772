import type { Clock } from "../core/base/clock.ts";
import { jsonLog, type Log } from "../core/base/log.ts";
import { connect } from "../ports/kube/client.ts";
import { loadKubeConfig } from "../ports/kube/config.ts";
import type { Kube } from "../ports/kube/kube.ts";
import { systemClock } from "../mechanisms/reconcile/system-clock.ts";

/** What a program that works for Kubernetes begins with. */
export interface InCluster {
  readonly kube: Kube;
  /** Namespace of the program's own pod. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs `program` with a way to the Kubernetes API, until it ends; SIGTERM and SIGINT abort its signal. */
export async function runInCluster(program: (given: InCluster, signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      stop.abort(new Error(`${name} received`));
    });
  }
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
  );
  const kubeConfig = loadKubeConfig(process.env);
  const kube = connect(kubeConfig);
  try {
    await program({ kube, namespace: kubeConfig.namespace, clock: systemClock, log }, stop.signal);
  } finally {
    await kube.close();
  }
}
