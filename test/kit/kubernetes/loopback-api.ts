import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "#kubernetes";
import { jsonLog, type Log } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";

/** What an address of a network is, by its host: from 1 to 254. */
export type AddressOf = (host: number) => string;

/** An embedded Kubernetes API on a loopback network of its own. */
export interface LoopbackApi extends AsyncDisposable {
  /** For the files of a test; removed at the end. */
  readonly folder: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Collects lines: the API server writes to it, and programs under test may. */
  readonly log: Log;
  readonly lines: readonly string[];
  /** An address of the network, from 1 to 254; the API server has the first. */
  address(host: number): string;
}

/**
 * Starts one with an empty store; `name` begins the name of its folder, `kubernetesVersion` is for instance "v1.30.9". Another network
 * than loopback is one that the test has made.
 */
export async function startLoopbackApi(
  name: string,
  kubernetesVersion?: string,
  address: AddressOf = loopbackNetwork(),
): Promise<LoopbackApi> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), `${name}-`))).path;
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const version = kubernetesVersion === undefined ? {} : { kubernetesVersion };
  const dataDir = join(folder, "api");
  const server = await startApiServer({ dataDir, host: address(1), port: 0, clock: systemClock, log, ...version });
  stack.defer(() => server.close());
  const kubeconfig = join(folder, "admin.kubeconfig");
  await writeFile(kubeconfig, server.kubeconfigs.admin, { mode: 0o600 });
  const owned = stack.move();
  return {
    folder,
    kubeconfig,
    log,
    lines,
    address,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function loopbackNetwork(): AddressOf {
  // no world takes addresses below 127.20
  const network = `127.${1 + Math.floor(Math.random() * 19)}.${Math.floor(Math.random() * 255)}`;
  return (host) => `${network}.${host}`;
}
