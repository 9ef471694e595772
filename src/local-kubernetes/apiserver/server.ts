import { mkdir } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../core/base/clock.ts";
import { Fault } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { signToken, DEFAULT_AUDIENCE } from "./auth/tokens.ts";
import { bootstrap } from "./lifecycle/bootstrap.ts";
import { followDefinitions } from "./lifecycle/definitions.ts";
import { createDiscovery } from "./discovery/paths.ts";
import { faults, notFoundError } from "./faults.ts";
import { expireEvents } from "./lifecycle/events.ts";
import { handle } from "./handle.ts";
import { adminKubeconfig, loadServerCredentials, type ServerCredentials } from "./auth/server-credentials.ts";
import { followNamespaces } from "./lifecycle/namespaces.ts";
import { builtinResources } from "./builtin/resources.ts";
import { createRegistry } from "./resources/registry.ts";
import { lockFolder } from "./store/lock.ts";
import { openStore } from "./store/store.ts";
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
  /** Told of each request that came with credentials, before it is carried out. */
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
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(options.dataDir);
  const { clock, log, historyLimit } = options;
  const credentials = await loadServerCredentials(options.dataDir, options.host, clock.now());
  const store = await openStore({
    dataDir: options.dataDir,
    log,
    ...(historyLimit === undefined ? {} : { historyLimit }),
  });
  const closing = new AbortController();
  const context: ServerContext = {
    store,
    registry: createRegistry(builtinResources),
    clock,
    log,
    kubernetesVersion: options.kubernetesVersion ?? KUBERNETES_VERSION,
    servicePrefix: options.serviceCidr?.prefix ?? "127.96.0.",
    tokenKey: credentials.tokenKey,
    podLogs: options.podLogs,
    audit: options.audit,
    closing: closing.signal,
  };
  await bootstrap(context);
  followDefinitions(context);
  followNamespaces(context, credentials.authority.certificate);
  void expireEvents(context);

  let url = "";
  const server = serverFor(context, credentials, () => url.replace("https://", ""));
  url = await listen(server, options.host, options.port);
  return {
    url,
    kubeconfigs: { admin: adminKubeconfig(credentials, url) },
    caCertificate: credentials.authority.certificate,
    serviceAccountToken: (namespace, name) => tokenFor(context, namespace, name),
    close: async () => {
      closing.abort();
      await closed(server);
      await store.close();
      await unlock();
    },
  };
}

function serverFor(
  context: ServerContext,
  { authority, server: pair }: ServerCredentials,
  address: () => string,
): Server {
  const discovery = createDiscovery(context.registry, context.kubernetesVersion, address);
  const server = createServer(
    {
      cert: pair.certificate,
      key: pair.key,
      ca: authority.certificate,
      requestCert: true,
      // clients without a certificate may still bring a token
      rejectUnauthorized: false,
      minVersion: "TLSv1.2",
    },
    (request, response) => {
      // a client that goes while we answer is no fault of ours; `close` follows and ends the work
      response.on("error", () => undefined);
      void handle(context, discovery, request, response);
    },
  );
  server.requestTimeout = 0;
  server.keepAliveTimeout = 120_000;
  return server;
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new Fault(faults.addressTaken, `cannot listen on ${host}:${port}`, { host, port }, error));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return `https://${host}:${isAddress(address) ? address.port : port}`;
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
    // watches have been told to end; what still sends a moment later is cut
    setTimeout(() => {
      server.closeAllConnections();
    }, 200).unref();
  });
}

function tokenFor(context: ServerContext, namespace: string, name: string): string {
  const account = context.store.get("serviceaccounts", `${namespace}/${name}`);
  if (account === undefined) throw notFoundError({ group: "", plural: "serviceaccounts" }, name);
  const now = context.clock.now();
  const expires = Math.floor(now.getTime() / 1000) + TOKEN_SECONDS;
  const { uid = "" } = account.metadata;
  return signToken(context.tokenKey, { namespace, name, uid, audiences: [DEFAULT_AUDIENCE], expires }, now);
}
