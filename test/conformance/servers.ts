import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, runControllers } from "#kubernetes";
import { silentLog } from "#kit/base/log";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { systemClock } from "#kit/reconcile/system-clock";
import { findAssets } from "../kubernetes/assets/assets.ts";
import { startControlPlane } from "../kubernetes/control-plane/control-plane.ts";

/** A Kubernetes that the conformance suite holds to its rules. */
export interface Subject {
  readonly kind: "embedded" | "real";
  /** As the reports name it. */
  readonly title: string;
  /** Why it cannot be started here; false when it can. */
  readonly skip: string | false;
  /** Whether controllers collect garbage and manage namespaces; false when there is no kube-controller-manager. */
  readonly hasControllers: boolean;
  start(options?: StartOptions): Promise<RunningSubject>;
}

export interface StartOptions {
  /** False for rules that play the controllers themselves. */
  readonly controllers?: boolean;
}

export interface RunningSubject extends AsyncDisposable {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

/** What the embedded server's containers say, each line after the container's name. */
export const LOG_LINES = ["first line", "second line", "third line"];

export const embedded: Subject = {
  kind: "embedded",
  title: "embedded",
  skip: false,
  hasControllers: true,
  start: startEmbedded,
};

/** The embedded Kubernetes, and a real one from KUBEBUILDER_ASSETS or from what `npm run kube-assets` has built. */
export function subjects(): readonly Subject[] {
  const found = findAssets("api");
  const real = { kind: "real", start: startControlPlane } as const;
  if ("reason" in found) {
    return [embedded, { ...real, title: "real", skip: found.reason, hasControllers: false }];
  }
  const { stdout } = spawnSync(join(found.folder, "kube-apiserver"), ["--version"], { encoding: "utf8" });
  const hasControllers = existsSync(join(found.folder, "kube-controller-manager"));
  return [embedded, { ...real, title: stdout.trim().replace("Kubernetes", "real"), skip: false, hasControllers }];
}

async function startEmbedded({ controllers = true }: StartOptions = {}): Promise<RunningSubject> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await mkdtempDisposable(join(tmpdir(), "conformance-"))).path;
  const server = await startApiServer({
    dataDir: join(home, "data"),
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    log: silentLog,
    podLogs: fixedLog,
  });
  stack.defer(() => server.close());
  const kubeconfig = join(home, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfigs.admin, { mode: 0o600 });
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: kubeconfig })), (client) => client.close());
  const stop = new AbortController();
  const options = { kube, clock: systemClock, log: silentLog, signal: stop.signal };
  const running = controllers ? runControllers(options) : Promise.resolve();
  stack.defer(() => running);
  stack.defer(() => stop.abort());
  const owned = stack.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function* fixedLog(
  _pod: object,
  container: string,
  { tailLines }: { tailLines?: number },
): AsyncGenerator<Uint8Array> {
  for (const line of LOG_LINES.slice(tailLines === undefined ? 0 : -tailLines)) {
    yield Buffer.from(`${container}: ${line}\n`);
  }
}
