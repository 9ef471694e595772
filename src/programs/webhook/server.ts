import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { isFault, messageOf } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { capConnections, PATIENCE } from "../../mechanisms/processes/connection-caps.ts";
import type { KeyPair } from "../../ports/pki/authority.ts";
import { faults } from "./faults.ts";
import { followConnections } from "./open-connections.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly pair: KeyPair;
  /** Why not to ask it; undefined when it may be asked. */
  readonly unready: () => string | undefined;
  /** The answer to the text of a review; WEBHOOK_BAD_REVIEW becomes 400. */
  readonly answer: (text: string) => Promise<object>;
  /** A caller turned away from the certificate. */
  readonly onDistrust: () => void;
  readonly log: Log;
}

export interface AdmissionServer {
  readonly port: number;
  /** Presents another certificate to new connections; those that are open go on. */
  present(pair: KeyPair): void;
  /** Answers what was asked, each connection's last time, then closes. */
  close(): Promise<void>;
}

/** Object and old object, each as large as the API server stores at most. */
const BODY_BYTES = 8 * 1024 * 1024;
/** A body that has not arrived by then is given up, in milliseconds; the API server waits 30 s at most. */
const REQUEST_MS = 30_000;
/** All reviews of a cluster may come from one address. */
const CAPS = { total: 512, ofAddress: 256 } as const;
const SWEEP_MS = 50;
/** Once the server closes, a connection that asks nothing for this time is ended; in milliseconds. */
const SILENT_MS = 500;

/** Serves POST /admission, and GET /liveness and /readiness, over HTTPS. */
export async function serveAdmission(options: ServerOptions): Promise<AdmissionServer> {
  const server = createServer(
    { ...tlsOf(options.pair), ...PATIENCE, requestTimeout: REQUEST_MS },
    (request, response) => {
      const answer = (text: string): Promise<object> => connections.whileBusy(request.socket, options.answer(text));
      respond(request, { ...options, answer }).then(
        ({ status, text, headers }) =>
          response.writeHead(status, { "content-type": "application/json", ...headers }).end(text),
        (error: unknown) => abandon(response, error, options.log),
      );
    },
  );
  const connections = followConnections(server);
  server.on("tlsClientError", (error) => {
    if (DISTRUST.test(messageOf(error))) options.onDistrust();
  });
  capConnections(server, CAPS);
  server.listen(options.port, options.host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    present: (pair) => {
      server.setSecureContext(tlsOf(pair));
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      // a connection that was busy is closed once it has its answer
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        connections.endSilent(SILENT_MS);
      }, SWEEP_MS);
      await closed.finally(() => {
        clearInterval(sweep);
      });
    },
  };
}

/** What a caller says that does not know the authority, or takes the certificate for bad. */
const DISTRUST = /alert (unknown ca|bad certificate|certificate unknown)/i;

function tlsOf({ certificate, key }: KeyPair) {
  return { cert: certificate, key, minVersion: "TLSv1.2" } as const;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function respond(request: IncomingMessage, options: ServerOptions): Promise<Reply> {
  const path = request.url?.split("?", 1)[0] ?? "";
  const method = METHODS[path];
  if (method === undefined) return said(404, `${path} is not served here; /admission is`);
  if (request.method !== method) return { ...said(405, `${path} takes ${method}`), headers: { allow: method } };
  if (path === "/liveness") return said(200, "alive");
  const unready = options.unready();
  if (path === "/readiness") return unready === undefined ? said(200, "ready") : said(503, unready);
  return answered(request, options);
}

const METHODS: Readonly<Record<string, string>> = { "/admission": "POST", "/liveness": "GET", "/readiness": "GET" };

async function answered(request: IncomingMessage, { answer }: ServerOptions): Promise<Reply> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    return said(415, "the body must be JSON: send the header Content-Type: application/json");
  }
  const body = await bodyOf(request);
  if (body === undefined) {
    return { ...said(413, `the body is larger than ${BODY_BYTES} bytes`), headers: { connection: "close" } };
  }
  try {
    return { status: 200, text: JSON.stringify(await answer(body)) };
  } catch (error) {
    if (isFault(error, faults.badReview)) return said(400, messageOf(error));
    throw error;
  }
}

/** Undefined when it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function said(status: number, message: string): Reply {
  return { status, text: JSON.stringify({ message }) };
}

/** The caller is gone, or something is wrong here: it learns no more than that. */
function abandon(response: ServerResponse, error: unknown, log: Log): void {
  log.error("a review could not be answered", { error });
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "application/json" }).end(said(500, "internal error").text);
}
