import { jsonLog } from "../base/log.ts";
import { connect } from "../kube/client.ts";
import { loadKubeConfig } from "../kube/config.ts";
import { readOperatorConfig } from "../operator/config.ts";
import { runOperator } from "../operator/run.ts";
import { systemClock } from "../reconcile/system-clock.ts";

/** Runs the operator until SIGTERM or SIGINT. */
export async function main(): Promise<void> {
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
    const config = readOperatorConfig(process.env, kubeConfig.namespace);
    await runOperator({ kube, clock: systemClock, log, config }, stop.signal);
  } finally {
    await kube.close();
  }
}
