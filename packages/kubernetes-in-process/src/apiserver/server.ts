import { mkdir } from "node:fs/promises";
import type { Clock } from "../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../controller-kit/src/base/log.ts";
import { signToken, DEFAULT_AUDIENCE } from "./auth/tokens.ts";
import { bootstrap } from "./lifecycle/bootstrap.ts";
import { followDefinitions } from "./lifecycle/definitions.ts";
import { notFoundError } from "./faults.ts";
import { expireEvents } from "./lifecycle/events.ts";
import { adminKubeconfig, loadServerCredentials, type ServerCredentials } from "./auth/server-credentials.ts";
import { followNamespaces } from "./lifecycle/namespaces.ts";
import { builtinResources } from "./builtin/resources.ts";
import { closeListener, createListener, listen } from "./listener.ts";
import { createRegistry } from "./resources/registry.ts";
import { lockFolder } from "./store/lock.ts";
import type { StoreOptions } from "./store/options.ts";
import { openStore, type Store } from "./store/store.ts";
import type { AuditEntry } from "./auth/authorize.ts";
import type { PodLogs } from "./context/pod-logs.ts";
import type { ServerContext } from "./context/server-context.ts";

export type { AuditEntry } from "./auth/authorize.ts";
export type { PodLogOptions, PodLogs } from "./context/pod-logs.ts";

/** The version that this server answers as. */
const KUBERNETES_VERSION = "v1.33.4";

export interface ApiServerOptions {
  /** Holds the store, the certificates and the token key; made when missing. */
  readonly dataDir: string;
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly podLogs?: PodLogs;
  /** Called for each request with credentials, before it is carried out. */
  readonly audit?: (entry: AuditEntry) => void;
  readonly kubernetesVersion?: string;
  /** Cluster IPs are the 254 addresses that begin with `prefix`, `127.96.0.` for instance. */
  readonly serviceCidr?: { readonly prefix: string };
  /** How many changes are kept for watchers. */
  readonly historyLimit?: number;
}

export interface ApiServer {
  readonly url: string;
  readonly kubeconfigs: { readonly admin: string };
  readonly caCertificate: string;
  /** A bearer token of a service account, valid for a year; APISERVER_NOT_FOUND when there is no such account. */
  serviceAccountToken(namespace: string, name: string): string;
  /** Ends watches, waits for writes to reach the disk, and stops. */
  close(): Promise<void>;
}

const TOKEN_SECONDS = 365 * 86_400;

/** Starts a Kubernetes API server; everything written before is there again. One server uses a data directory at a time. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { dataDir, host, port, clock } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // closed in reverse order: here when a later step fails, else by `close`
  await using opened = new AsyncDisposableStack();
  opened.defer(await lockFolder(dataDir));
  const credentials = await loadServerCredentials(dataDir, host, clock.now());
  const store = await openStore(storeOptions(options));
  opened.defer(() => store.close());
  const closing = new AbortController();
  const context = contextOf(options, store, credentials, closing.signal);
  let url = "";
  const server = createListener(context, credentials, () => url.replace("https://", ""));
  opened.defer(() => {
    closing.abort();
    return closeListener(server);
  });
  await bootstrap(context);
  followDefinitions(context);
  followNamespaces(context, credentials.authority.certificate);
  void expireEvents(context);
  url = await listen(server, host, port);
  const running = opened.move();
  return {
    url,
    kubeconfigs: { admin: adminKubeconfig(credentials, url) },
    caCertificate: credentials.authority.certificate,
    serviceAccountToken: (namespace, name) => tokenFor(context, namespace, name),
    close: () => running.disposeAsync(),
  };
}

function storeOptions({ dataDir, log, historyLimit }: ApiServerOptions): StoreOptions {
  return { dataDir, log, ...(historyLimit === undefined ? {} : { historyLimit }) };
}

function contextOf(
  options: ApiServerOptions,
  store: Store,
  { tokenKey }: ServerCredentials,
  closing: AbortSignal,
): ServerContext {
  const { clock, log, podLogs, audit, kubernetesVersion = KUBERNETES_VERSION, serviceCidr } = options;
  return {
    store,
    registry: createRegistry(builtinResources),
    clock,
    log,
    kubernetesVersion,
    servicePrefix: serviceCidr?.prefix ?? "127.96.0.",
    tokenKey,
    podLogs,
    audit,
    closing,
  };
}

function tokenFor(context: ServerContext, namespace: string, name: string): string {
  const account = context.store.get("serviceaccounts", `${namespace}/${name}`);
  if (account === undefined) throw notFoundError({ group: "", plural: "serviceaccounts" }, name);
  const now = context.clock.now();
  const expires = Math.floor(now.getTime() / 1000) + TOKEN_SECONDS;
  const { uid = "" } = account.metadata;
  return signToken(context.tokenKey, { namespace, name, uid, audiences: [DEFAULT_AUDIENCE], expires }, now);
}
