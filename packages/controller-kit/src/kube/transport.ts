import { Pool, type Dispatcher } from "undici";
import { Fault, messageOf } from "../base/fault.ts";
import { patientSignal } from "../timing/patience.ts";
import type { KubeConfig } from "./kubeconfig.ts";
import { faults } from "./faults.ts";
import { faultOf, statusOf } from "./status.ts";
import { parseJson } from "../base/json.ts";

/** How a client behaves on the wire; each has a default. */
export interface TransportOptions {
  /** Names the program in the server's logs and as owner of the fields it writes. */
  readonly userAgent?: string;
  /** How many requests, watches aside, are under way at once; the others queue. */
  readonly connections?: number;
  readonly requestTimeoutMs?: number;
  /** A watch with no byte for this long counts as dead and is opened again; bookmarks keep a quiet one alive. */
  readonly watchSilenceMs?: number;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  /** Broken off after this, in milliseconds. */
  readonly deadlineMs?: number | undefined;
  /** The answer holds the metadata of objects alone. */
  readonly metadataOnly?: true | undefined;
}

/** Carries requests to one API server over verified TLS, on connections that are kept. */
export interface Transport {
  /** The answer as text; throws the fault of any answer but 2xx. */
  send(request: Request): Promise<string>;
  /** The answer's body as it arrives, on a connection of its own; throws as `send` does. */
  stream(request: Pick<Request, "path" | "metadataOnly">, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** Opens a transport; nothing is sent before the first request. */
export function openTransport(config: KubeConfig, options: TransportOptions = {}): Transport {
  const { origin, pathname } = new URL(config.server);
  const prefix = pathname.replace(/\/$/, "");
  const timeoutMs = options.requestTimeoutMs ?? 30_000;
  const shared = { connect: tlsOf(config), keepAliveTimeout: 4_000, headersTimeout: timeoutMs } as const;
  const requests = new Pool(origin, {
    ...shared,
    connections: options.connections ?? 8,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_ANSWER,
  });
  // watches hold their connection for minutes: in the pool of the requests they would starve them
  const watches = new Pool(origin, { ...shared, connections: null, bodyTimeout: options.watchSilenceMs ?? 90_000 });
  const ask = async (pool: Pool, request: Request, signal: AbortSignal | null): Promise<Dispatcher.ResponseData> => {
    const path = prefix + request.path;
    const headers = headersOf(config, request, options.userAgent);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const answered = pool.request({ method: request.method, path, headers, body, signal });
    return successful(answered, `${request.method} ${request.path}`, origin);
  };
  return {
    send: async (request) => {
      using deadline = request.deadlineMs === undefined ? undefined : patientSignal(request.deadlineMs);
      const answer = await ask(requests, request, deadline?.signal ?? null);
      return await textOf(answer, `${request.method} ${request.path}`, origin);
    },
    stream: async (request, signal) => (await ask(watches, { method: "GET", ...request }, signal)).body,
    close: async () => {
      await Promise.all([requests.close(), watches.destroy()]);
    },
  };
}

async function successful(
  answered: Promise<Dispatcher.ResponseData>,
  what: string,
  origin: string,
): Promise<Dispatcher.ResponseData> {
  const answer = await answered.catch((error: unknown) => {
    throw unreachable(what, origin, error);
  });
  if (answer.statusCode < 200 || answer.statusCode > 299) throw await refusal(what, origin, answer);
  return answer;
}

const MAX_ANSWER = 128 * 1024 * 1024;

/** The fault for anything that broke on the way to the server. */
export function unreachable(what: string, origin: string, error: unknown): Fault {
  return new Fault(faults.unavailable, `${what}: no answer from ${origin}: ${messageOf(error)}`, {}, error);
}

function tlsOf(config: KubeConfig): Record<string, unknown> {
  return {
    timeout: 5_000,
    ...(config.ca === undefined ? {} : { ca: config.ca }),
    ...(config.serverName === undefined ? {} : { servername: config.serverName }),
    ...(config.clientCertificate === undefined
      ? {}
      : { cert: config.clientCertificate.certificate, key: config.clientCertificate.key }),
  };
}

const METADATA =
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

function headersOf(config: KubeConfig, request: Request, userAgent = "controller-kit"): Record<string, string> {
  return {
    accept: request.metadataOnly === true ? METADATA : "application/json",
    "user-agent": userAgent,
    ...(config.token === undefined ? {} : { authorization: `Bearer ${config.token()}` }),
    ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
  };
}

async function refusal(what: string, origin: string, answer: Dispatcher.ResponseData): Promise<Fault> {
  const text = await textOf(answer, what, origin);
  const seconds = Number(answer.headers["retry-after"]);
  return faultOf(statusOf(answer.statusCode, jsonOr(text)), what, seconds > 0 ? seconds * 1000 : undefined);
}

async function textOf(answer: Dispatcher.ResponseData, what: string, origin: string): Promise<string> {
  try {
    return await answer.body.text();
  } catch (error) {
    throw unreachable(what, origin, error);
  }
}

/** The JSON that `text` is, else `text` itself: proxies before a server answer with pages. */
function jsonOr(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
