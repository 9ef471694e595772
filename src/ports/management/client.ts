import { Agent } from "undici";
import { Fault } from "#kit/base/fault";
import { answerOf, errorCodeOf, NOT_RUN, SECRET_NOT_MADE } from "./answer.ts";
import { attemptOf, type Attempt } from "./attempt.ts";
import { faults } from "./faults.ts";
import { rememberAnswers } from "./memory.ts";
import { FORWARDED_BY, ON_BEHALF_OF, requestOnce, wasNeverSent } from "./request.ts";
import type { HttpAnswer, LooseRequest, Via } from "./request.ts";
import { routes } from "./routes.ts";
import type { ReplyOf, RequestOf, RouteName } from "./routes.ts";

export interface ManagementClientOptions {
  /** Addresses of node pods, read at each call; earlier ones are tried first. */
  readonly addresses: () => readonly string[];
  readonly port: number;
  /** Name that the nodes' certificate must carry: `<rec>.<namespace>.svc.cluster.local`. */
  readonly serverName: string;
  /** Certificate authority of the cluster, PEM. */
  readonly ca: string;
  readonly username: string;
  readonly password: string;
  /** How long one address may take to answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Set by a node that forwards a client's write to the leader: its uid. */
  readonly forwardedBy?: number;
  /** Keeps the last answer of each route about the whole cluster: one that has not changed is not sent again. */
  readonly remembers?: boolean;
}

/** Typed caller of the management API (§4.2). */
export interface ManagementClient {
  /**
   * Calls `route` on the first address that answers. Tries the next address when a node cannot be reached or is no member
   * (503); a request that must not run twice is tried again only when it was never sent, or the node says that it did not run it.
   * A client that remembers returns the same object as last time while nothing has changed but offsets and uptime. Failures are Faults of src/ports/management/faults.ts.
   */
  call<N extends RouteName>(route: N, request: RequestOf<N>, options?: CallOptions): Promise<ReplyOf<N>>;
  call<N extends PlainRouteName>(route: N): Promise<ReplyOf<N>>;
  /** Ends the connections once what is under way has its answer. */
  close(): Promise<void>;
  /** Ends the connections at once; what is under way fails. */
  destroy(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** How long one address may take to answer, when not as long as the client allows; in milliseconds. */
  readonly withinMs?: number;
  /** The user who sent this request, when a node passes it on. */
  readonly onBehalfOf?: string;
}

/** Routes without path parameters and body. */
type PlainRouteName = { [N in RouteName]: object extends RequestOf<N> ? N : never }[RouteName];

/** A node that does not accept a connection within this time counts as unreachable; in milliseconds. */
const CONNECT_MS = 2_000;

/** A client that keeps its connections open, verifies TLS against `ca` and sends Basic credentials. */
export function managementClient(options: ManagementClientOptions): ManagementClient {
  const { timeoutMs, port, ca, serverName } = options;
  const connect = { ca, servername: serverName, timeout: Math.min(timeoutMs, CONNECT_MS) };
  const dispatcher = new Agent({ connect, keepAliveTimeout: 30_000, connections: 8 });
  const ownHeaders = headersOf(options);
  const memory = options.remembers === true ? rememberAnswers() : undefined;

  async function call<N extends RouteName>(
    name: N,
    request?: RequestOf<N>,
    { signal, onBehalfOf, withinMs = timeoutMs }: CallOptions = {},
  ): Promise<ReplyOf<N>> {
    const addresses = options.addresses();
    const tried: Attempt[] = [];
    const known = memory?.about(name);
    const headers = { ...ownHeaders, ...headersOfCall(onBehalfOf, known?.entityTag) };
    for (const address of addresses) {
      const via = { dispatcher, origin: `https://${hostOf(address)}:${port}`, headers, timeoutMs: withinMs };
      const answer = await askAddress(name, { ...request, signal }, via, { address, tried });
      if (answer === undefined) continue;
      if (answer.status === 304 && known !== undefined) return known.reply;
      if (answer.status === 503 && address !== addresses.at(-1) && mayAskAnother(name, answer)) {
        tried.push({ address, failure: "notJoined", said: "not a member yet" });
        continue;
      }
      const reply = answerOf(name, via.origin, answer);
      memory?.keep(name, answer.entityTag, reply);
      return reply;
    }
    throw unreachable(name, tried, false);
  }
  return { call, close: () => dispatcher.close(), destroy: () => dispatcher.destroy() };
}

interface AskedAddress {
  readonly address: string;
  /** What has brought no answer, this address included when it brings none. */
  readonly tried: Attempt[];
}

/** Undefined when the address brings no answer and another one may be asked. */
async function askAddress(
  name: RouteName,
  request: LooseRequest,
  via: Via,
  { address, tried }: AskedAddress,
): Promise<HttpAnswer | undefined> {
  try {
    return await requestOnce(name, request, via);
  } catch (error) {
    if (error instanceof Fault || request.signal?.aborted) throw error;
    tried.push(attemptOf(address, error));
    if (!mayRunTwice(name) && !wasNeverSent(error)) throw unreachable(name, tried, true);
    return undefined;
  }
}

function headersOf({ username, password, forwardedBy }: ManagementClientOptions): Readonly<Record<string, string>> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return { authorization, ...(forwardedBy === undefined ? {} : { [FORWARDED_BY]: String(forwardedBy) }) };
}

function headersOfCall(onBehalfOf: string | undefined, known: string | undefined): Readonly<Record<string, string>> {
  const behalf = onBehalfOf === undefined ? {} : { [ON_BEHALF_OF]: onBehalfOf };
  return known === undefined ? behalf : { ...behalf, "if-none-match": known };
}

/** `mayHaveRun`: the request was sent and its answer is missing, so it must not simply be sent again. */
function unreachable(name: RouteName, tried: readonly Attempt[], mayHaveRun: boolean): Fault {
  const { method, path } = routes[name];
  const attempts = tried.map(({ address, said }) => `${address}: ${said}`);
  const where = tried.length === 0 ? "no address of a node is known" : attempts.join("; ");
  return new Fault(faults.unreachable, `${method} ${path} reached no node: ${where}`, {
    route: name,
    tried,
    mayHaveRun,
  });
}

/** Node actions, commands to a proxy and questions to a mover are idempotent. */
function mayRunTwice(name: RouteName): boolean {
  return (
    routes[name].method !== "POST" || ["maintenanceOn", "maintenanceOff", "localProxy", "localMover"].includes(name)
  );
}

/** Whether a node other than the one that answered with 503 is asked. What the whole cluster lacks, every node would say. */
function mayAskAnother(name: RouteName, answer: HttpAnswer): boolean {
  const code = errorCodeOf(answer);
  return NOT_RUN.includes(code) || (mayRunTwice(name) && code !== SECRET_NOT_MADE);
}

function hostOf(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
