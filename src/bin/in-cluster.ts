import type { Clock } from "#kit/base/clock";
import { jsonLog, type Log } from "#kit/base/log";
import { USER_AGENT } from "../core/api/names.ts";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { systemClock } from "#kit/reconcile/system-clock";

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
  const kube = connect(kubeConfig, { userAgent: USER_AGENT });
  try {
    await program({ kube, namespace: kubeConfig.namespace, clock: systemClock, log }, stop.signal);
  } finally {
    await kube.close();
  }
}
