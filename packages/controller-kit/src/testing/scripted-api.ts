import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { KubeConfig } from "../kube/kubeconfig.ts";
import { createAuthority, issue } from "../pki/authority.ts";

/** What a test's server was asked. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ScriptedApi extends AsyncDisposable {
  readonly config: KubeConfig;
  readonly server: Server;
  readonly asked: RecordedRequest[];
  /** Connections accepted so far. */
  connections(): number;
}

/** A real https server on loopback that answers as the test says: for what a proper API server does rarely or never. */
export async function scriptedApi(
  answer: (asked: RecordedRequest, response: ServerResponse) => void,
): Promise<ScriptedApi> {
  const now = new Date();
  const authority = createAuthority({ commonName: "scripted", now, days: 1 });
  const names = { commonName: "scripted", dnsNames: [], ipAddresses: ["127.0.0.1"], usages: ["server" as const] };
  const { certificate, key } = issue(authority, { ...names, now, days: 1 });
  const asked: RecordedRequest[] = [];
  let connections = 0;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    void readAll(request).then((body) => {
      const url = new URL(request.url ?? "/", "https://scripted");
      const one = {
        method: request.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body,
      };
      asked.push(one);
      answer(one, response);
    });
  });
  server.on("secureConnection", () => (connections += 1));
  // closeAllConnections passes over those that are shaking hands
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    config: {
      server: `https://127.0.0.1:${address.port}`,
      ca: authority.certificate,
      token: () => "secret",
      namespace: "default",
    },
    server,
    asked,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** Answers with JSON. */
export function reply(response: ServerResponse, body: object, code = 200, headers: Record<string, string> = {}): void {
  response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Answers with a Status as an API server does. */
export function answerStatus(
  response: ServerResponse,
  code: number,
  reason: string,
  headers: Record<string, string> = {},
): void {
  reply(
    response,
    { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `it is ${reason}` },
    code,
    headers,
  );
}

/** A ConfigMap as a list would hold it: without apiVersion and kind. */
export function configMap(name: string, resourceVersion: string, data: Record<string, string> = {}): object {
  return { metadata: { name, namespace: "ns", uid: `uid-${name}`, resourceVersion }, data };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
