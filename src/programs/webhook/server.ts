import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "#kit/base/clock";
import { isFault, messageOf } from "#kit/base/fault";
import { limitedRate } from "#kit/base/limited-rate";
import type { Log } from "#kit/base/log";
import { capConnections, PATIENCE } from "#kit/processes/connection-caps";
import type { KeyPair } from "#kit/pki/authority";
import { ArrivingBodies, type ArrivingBody } from "./arriving-bodies.ts";
import { faults } from "./faults.ts";
import { oneAtATime } from "#kit/base/in-turn";
import { followConnections, type OpenConnections } from "./open-connections.ts";

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
  readonly clock: Clock;
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
/** All bodies that are not answered yet: anyone in the network of pods may send some. */
const ALL_BODIES_BYTES = 64 * 1024 * 1024;
/** Larger ones are judged one after the other: what is made of one may take twenty times its bytes. */
const LARGE_BYTES = 256 * 1024;
/** A body that has not arrived by then is given up, in milliseconds; the API server waits 30 s at most. */
const REQUEST_MS = 30_000;
/** Whoever sends what cannot be answered does not fill the log: one line in this time, in milliseconds. */
const SAID_MS = 1_000;
/** All reviews of a cluster may come from one address. */
const CAPS = { total: 512, ofAddress: 256 } as const;
const SWEEP_MS = 50;
/** Once the server closes, a connection that asks nothing for this time is ended; in milliseconds. */
const SILENT_MS = 500;

/** Serves POST /admission, and GET /liveness and /readiness, over HTTPS. */
export async function serveAdmission(options: ServerOptions): Promise<AdmissionServer> {
  const server = createServer({ ...tlsOf(options.pair), ...PATIENCE, requestTimeout: REQUEST_MS });
  const connections = followConnections(server);
  server.on("request", answerer(options, connections));
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

/** What one request is answered with. */
interface Asked extends Pick<ServerOptions, "unready"> {
  readonly body: ArrivingBody;
  /** The answer to the body as a whole; undefined once that was dropped. */
  readonly judged: () => Promise<object | undefined>;
}

function answerer({ answer, unready, clock, log }: ServerOptions, connections: OpenConnections) {
  const sayFailed = limitedRate(clock, SAID_MS, (error: unknown) => {
    log.error("a review could not be answered", { error });
  });
  const bodies = new ArrivingBodies(ALL_BODIES_BYTES);
  const inTurn = oneAtATime();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const body = bodies.begin(socket);
    const judge = async (): Promise<object | undefined> => {
      const text = body.text();
      return text === undefined ? undefined : answer(text);
    };
    const judged = () => connections.whileBusy(socket, body.bytes > LARGE_BYTES ? inTurn(judge) : judge());
    respond(request, { unready, body, judged })
      .then(
        (reply) => reply && send(response, reply),
        (error: unknown) => {
          // a caller that went before it had asked is no fault of the server
          if (request.complete) abandon(response, () => sayFailed(error));
        },
      )
      .finally(() => {
        body.end();
      });
  };
}

function send(response: ServerResponse, { status, text, headers }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

/** Undefined when nobody waits for an answer any more. */
async function respond(request: IncomingMessage, asked: Asked): Promise<Reply | undefined> {
  const path = request.url?.split("?", 1)[0] ?? "";
  const method = METHODS[path];
  if (method === undefined) return messageReply(404, `${path} is not served here; /admission is`);
  if (request.method !== method) return { ...messageReply(405, `${path} takes ${method}`), headers: { allow: method } };
  if (path === "/liveness") return messageReply(200, "alive");
  const unready = asked.unready();
  if (path === "/readiness") return unready === undefined ? messageReply(200, "ready") : messageReply(503, unready);
  return answerReview(request, asked);
}

const METHODS: Readonly<Record<string, string>> = { "/admission": "POST", "/liveness": "GET", "/readiness": "GET" };

async function answerReview(request: IncomingMessage, { body, judged }: Asked): Promise<Reply | undefined> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    return messageReply(415, "the body must be JSON: send the header Content-Type: application/json");
  }
  if (!(await hasArrived(request, body))) {
    return { ...messageReply(413, `the body is larger than ${BODY_BYTES} bytes`), headers: { connection: "close" } };
  }
  try {
    const answer = await judged();
    return answer && { status: 200, text: JSON.stringify(answer) };
  } catch (error) {
    if (isFault(error, faults.badReview)) return messageReply(400, messageOf(error));
    throw error;
  }
}

/** False when it is too large. */
async function hasArrived(request: IncomingMessage, body: ArrivingBody): Promise<boolean> {
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    body.add(chunk);
    if (body.bytes > BODY_BYTES) return false;
  }
  return true;
}

function messageReply(status: number, message: string): Reply {
  return { status, text: JSON.stringify({ message }) };
}

/** Something is wrong here: the caller learns no more than that. */
function abandon(response: ServerResponse, say: () => void): void {
  say();
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "application/json" }).end(messageReply(500, "internal error").text);
}
