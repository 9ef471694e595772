import { FormData, request as send } from "undici";
import type { Dispatcher } from "undici";
import { patientSignal } from "#kit/timing/patience";
import { systemCodeOf } from "./attempt.ts";
import { routes } from "./routes.ts";
import type { RouteName } from "./routes.ts";

/** Longest answers that are read, in bytes. */
const MAX_ANSWER = { json: 16 * 1024 * 1024, bytes: 256 * 1024 * 1024 } as const;

/** How long sending and storing an archive may take, in milliseconds. */
const ARCHIVE_MS = 60_000;

/** Header of a write that a node forwards to the leader; its value is the uid of that node. */
export const FORWARDED_BY = "store-forwarded-by";

/**
 * Header of a request that a node passes on: the user who sent it, as `<uid>/<Secret of the password>`, or `cluster` for the cluster
 * itself. Nodes of releases before 0.5.0 do not send it: what they pass on counts as from the cluster, after their own check.
 */
export const ON_BEHALF_OF = "store-on-behalf-of";

/** What a node answered, not yet interpreted. */
export interface HttpAnswer {
  readonly status: number;
  readonly bytes: Buffer<ArrayBuffer>;
  /** What a route that gives bytes answered well; it is read by the caller, and `bytes` are none. */
  readonly stream: AsyncIterable<Uint8Array> | undefined;
  /** Empty when the answer has none. */
  readonly entityTag: string;
}

export interface Via {
  readonly dispatcher: Dispatcher;
  /** `https://<address>:<port>` */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface LooseRequest {
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request to one node; throws what the transport throws. */
export async function requestOnce(name: RouteName, request: LooseRequest, via: Via): Promise<HttpAnswer> {
  const { takes, gives } = routes[name];
  const withinMs = takes === "archive" ? Math.max(via.timeoutMs, ARCHIVE_MS) : via.timeoutMs;
  using ending = new DisposableStack();
  const { signal } = ending.use(patientSignal(withinMs, request.signal));
  const sent = sentBody(request.body, takes);
  const sending = send(via.origin + pathOf(name, request.params ?? {}), {
    dispatcher: via.dispatcher,
    method: routes[name].method,
    signal,
    ...sent,
    headers: { ...via.headers, ...sent.headers },
  });
  const { statusCode, body, headers } = await unlessAborted(sending, signal);
  const tag = headers["etag"];
  const answer = { status: statusCode, entityTag: typeof tag === "string" ? tag : "" };
  if (gives === "bytes" && statusCode === 200) {
    const stream = limitStream(body, MAX_ANSWER.bytes, ending.move());
    return { ...answer, bytes: Buffer.alloc(0), stream };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of limitStream(body, MAX_ANSWER.json)) chunks.push(chunk);
  return { ...answer, bytes: Buffer.concat(chunks), stream: undefined };
}

/** A body is JSON, or the form of an archive, which names its own type. */
function sentBody(body: object | undefined, takes: string): Pick<Dispatcher.RequestOptions, "body"> & SentHeaders {
  if (body === undefined) return { headers: {} };
  if (takes === "archive") return { headers: {}, body: formOf(body) };
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

interface SentHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

/** The transport reacts to an abort only once it has a connection; the caller does not wait for that. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Each member is a file of the form, which is read while it is sent. */
function formOf(body: object): FormData {
  const form = new FormData();
  for (const [name, file] of Object.entries(body)) form.set(name, file, `${name}.zip`);
  return form;
}

/** True when the connection itself could not be made: the node cannot have seen the request. */
export function wasNeverSent(error: unknown): boolean {
  return NEVER_SENT.has(systemCodeOf(error));
}

const NEVER_SENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "UND_ERR_CONNECT_TIMEOUT"]);

function pathOf(name: RouteName, params: Readonly<Record<string, string | number>>): string {
  return routes[name].path.replace(/:(\w+)/g, (_whole, key: string) => encodeURIComponent(params[key] ?? ""));
}

/** Disposes of `ending` once the stream has ended. */
async function* limitStream(
  body: AsyncIterable<Uint8Array>,
  most: number,
  ending?: Disposable,
): AsyncGenerator<Uint8Array, void, void> {
  using _ = ending;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Error(`the answer is longer than ${most} bytes`);
    yield chunk;
  }
}
