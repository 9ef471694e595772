import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { startApiServer, type ApiServer, type ApiServerOptions } from "../world/index.ts";
import { silentLog } from "../../../controller-kit/src/base/log.ts";
import { loadKubeConfig } from "../../../controller-kit/src/kube/config.ts";
import type { KubeConfig } from "../../../controller-kit/src/kube/kubeconfig.ts";
import { systemClock } from "../../../controller-kit/src/reconcile/system-clock.ts";

/** What a request got. */
export interface Answer {
  readonly code: number;
  /** Warning headers. */
  readonly warnings: readonly string[];
  readonly type: string;
  readonly text: string;
  // tests look into bodies of every shape
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Content-Type; JSON when absent. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Plain HTTP to an API server, as the administrator or with a token. */
export interface ApiClient {
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** The events of a watch; ends with the stream or when the loop is left. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  watch(path: string, headers?: Readonly<Record<string, string>>): AsyncGenerator<any>;
}

export interface RawApi extends ApiClient, AsyncDisposable {
  readonly server: ApiServer;
  /** A client that brings this token (or nothing) instead of the administrator's certificate. */
  as(token: string | undefined): ApiClient;
  /** Closes the server and starts another on the same data directory. */
  restart(): Promise<void>;
}

/** A real API server on a free port of loopback, spoken to by plain HTTP. */
export async function rawApi(options: Partial<ApiServerOptions> = {}): Promise<RawApi> {
  await using stack = new AsyncDisposableStack();
  const dataDir = stack.use(await mkdtempDisposable(join(tmpdir(), "raw-api-"))).path;
  const start = (): Promise<ApiServer> =>
    startApiServer({ dataDir, host: "127.0.0.1", port: 0, clock: systemClock, log: silentLog, ...options });
  let server = await start();
  stack.defer(() => server.close());
  const clients = openClients(() => loadKubeConfig({ KUBECONFIG: "admin" }, () => server.kubeconfigs.admin));
  stack.defer(() => clients.close());
  const owned = stack.move();
  return {
    ...clients.admin,
    get server() {
      return server;
    },
    as: clients.as,
    restart: async () => {
      await server.close();
      server = await start();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Clients of the server that `config` names at the time of each request. */
export interface ApiClients {
  /** Brings the certificate of the configuration. */
  readonly admin: ApiClient;
  /** Brings this token, or nothing, instead. */
  as(token: string | undefined): ApiClient;
  close(): Promise<void>;
}

/** Opens clients; `close` breaks off whatever is under way. */
export function openClients(config: () => KubeConfig): ApiClients {
  const agents: Agent[] = [];
  const url = (): string => config().server;
  const agentFor = (withCertificate: boolean): Agent => {
    const { ca, clientCertificate } = config();
    const pair = withCertificate ? { cert: clientCertificate?.certificate, key: clientCertificate?.key } : {};
    const agent = new Agent({ connect: { ca, ...pair }, bodyTimeout: 0 });
    agents.push(agent);
    return agent;
  };
  return {
    admin: clientOf(url, agentFor(true), {}),
    as: (token) => clientOf(url, agentFor(false), token === undefined ? {} : { authorization: `Bearer ${token}` }),
    close: async () => {
      await Promise.all(agents.map((agent) => agent.destroy()));
    },
  };
}

function clientOf(url: () => string, dispatcher: Agent, own: Readonly<Record<string, string>>): ApiClient {
  return {
    send: async (method, path, { body, type = "application/json", headers = {} } = {}) => {
      const text =
        body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const answer = await request(url() + path, {
        method,
        dispatcher,
        headers: { ...own, ...(body === undefined ? {} : { "content-type": type }), ...headers },
        ...(text === undefined ? {} : { body: text }),
      });
      const sent = await answer.body.text();
      const kind = String(answer.headers["content-type"]);
      return {
        code: answer.statusCode,
        warnings: [answer.headers["warning"] ?? []].flat(),
        type: kind,
        text: sent,
        body: kind.startsWith("application/json") ? JSON.parse(sent) : undefined,
      };
    },
    watch: async function* (path, headers = {}) {
      const answer = await request(url() + path, { dispatcher, headers: { ...own, ...headers } });
      const decoder = new TextDecoder();
      let rest = "";
      // pulled piece by piece, so that a caller who waits makes the server wait
      for await (const chunk of answer.body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield JSON.parse(line);
      }
    },
  };
}
