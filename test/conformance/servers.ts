import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "../../src/apiserver/server.ts";
import { silentLog } from "../../src/base/log.ts";
import { runControllers } from "../../src/controllers/run-controllers.ts";
import { connect } from "../../src/kube/client.ts";
import { loadKubeConfig } from "../../src/kube/config.ts";
import { systemClock } from "../../src/reconcile/system-clock.ts";

/** A Kubernetes that the conformance suite holds to its rules. */
export interface Subject {
  readonly kind: "embedded" | "real";
  /** As the reports name it. */
  readonly title: string;
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

/** The embedded Kubernetes always; a running real one where STORE_TEST_KUBECONFIG names its administrator's kubeconfig. */
export function subjects(): readonly Subject[] {
  const running = process.env["STORE_TEST_KUBECONFIG"];
  const real: Subject[] =
    running === undefined ? [] : [{ kind: "real", title: `real at ${running}`, start: found(running) }];
  return [{ kind: "embedded", title: "embedded", start: startEmbedded }, ...real];
}

function found(kubeconfig: string): () => Promise<RunningSubject> {
  return () => Promise.resolve({ kubeconfig, [Symbol.asyncDispose]: () => Promise.resolve() });
}

async function startEmbedded({ controllers = true }: StartOptions = {}): Promise<RunningSubject> {
  const home = mkdtempSync(join(tmpdir(), "conformance-"));
  const server = await startApiServer({
    dataDir: join(home, "data"),
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    log: silentLog,
    podLogs: sayLines,
  });
  const kubeconfig = join(home, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfigs.admin, { mode: 0o600 });
  const kube = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  const stop = new AbortController();
  const options = { kube, clock: systemClock, log: silentLog, signal: stop.signal };
  const running = controllers ? runControllers(options) : Promise.resolve();
  return {
    kubeconfig,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      await Promise.all([kube.close(), server.close()]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function* sayLines(
  _pod: object,
  container: string,
  { tailLines }: { tailLines?: number },
): AsyncGenerator<Uint8Array> {
  for (const line of LOG_LINES.slice(tailLines === undefined ? 0 : -tailLines)) {
    yield Buffer.from(`${container}: ${line}\n`);
  }
}
