import fastify from "fastify";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Server } from "node:https";
import { Fault, messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { StoreVersion } from "../../../core/api/records.ts";
import type { ErrorBody } from "../../../ports/management/records.ts";
import { FORWARDED_BY } from "../../../ports/management/request.ts";
import { rolesWith, type ManagementRole } from "../../../core/api/management-roles.ts";
import { routes } from "../../../ports/management/routes.ts";
import type { BodyOf, ReplyOf, RouteName } from "../../../ports/management/routes.ts";
import { acceptArchives } from "./archives.ts";
import type { Caller } from "./auth.ts";
import { bodyOf } from "./bodies.ts";
import { entityTag, hasEntityTag, isKnown } from "./entity-tag.ts";
import { methodsOf } from "./paths.ts";
import { refusalOf, refusals, refuse } from "./refusals.ts";
import type { SecretFiles } from "../node/secret-files.ts";

/** What a handler is given: path parameters as text, the checked body. */
export interface Call<N extends RouteName> {
  readonly params: Readonly<Record<string, string>>;
  readonly body: BodyOf<N>;
  /** Of the caller; `none` where nobody is asked who they are. */
  readonly role: ManagementRole;
  /** uid of the node that carried this write here because it does not lead; absent when a client called. */
  readonly forwardedBy?: string;
}

/** One handler a route: a route without one does not compile. */
export type Handlers = { readonly [N in RouteName]: (call: Call<N>) => Promise<ReplyOf<N>> };

export interface ManagementApiOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: SecretFiles<"tls.crt" | "tls.key">;
  /** Who sends a header with Basic credentials; undefined when nobody that is known does. */
  readonly callerOf: (header: string | undefined) => Promise<Caller | undefined>;
  readonly handlers: Handlers;
  /** Why the API cannot be used yet; undefined once the node has joined. */
  readonly notJoined: () => string | undefined;
  /** Database versions that its release carries. */
  readonly supported: readonly StoreVersion[];
  readonly log: Log;
}

export interface ManagementApi {
  /** Serves new connections with another certificate. */
  useTls(tls: SecretFiles<"tls.crt" | "tls.key">): void;
  close(): Promise<void>;
}

/** Serves every route of the management API (§4.2) over HTTPS; errors are JSON with `error_code`, `description`, `message`. */
export async function serveManagementApi(options: ManagementApiOptions): Promise<ManagementApi> {
  const server = fastify({
    https: { key: options.tls["tls.key"], cert: options.tls["tls.crt"], minVersion: "TLSv1.2" },
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: true,
    logger: false,
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request, reply, options.log);
    },
  });
  server.setNotFoundHandler(refuseUnrouted);
  server.setErrorHandler((error, request, reply) => answerError(error, request, reply, options.log));
  acceptJson(server);
  for (const name of routeNames().filter((each) => routes[each].takes === "json")) mount(server, name, options);
  await server.register(async (forms: HttpsInstance) => {
    acceptArchives(forms);
    for (const name of routeNames().filter((each) => routes[each].takes === "archive")) mount(forms, name, options);
  });
  await server.listen({ host: options.host, port: options.port });
  return {
    useTls: (tls) => {
      server.server.setSecureContext({ key: tls["tls.key"], cert: tls["tls.crt"], minVersion: "TLSv1.2" });
    },
    close: () => server.close(),
  };
}

/** The longest body that is read. */
const BODY_BYTES = 1_048_576;
/** A request that has not arrived as a whole by then is given up, in milliseconds. */
const REQUEST_MS = 120_000;

type HttpsInstance = FastifyInstance<Server>;

function mount<N extends RouteName>(server: HttpsInstance, name: N, options: ManagementApiOptions): void {
  const { method, path } = routes[name];
  const roles = new WeakMap<FastifyRequest, ManagementRole>();
  server.route<{ Params: Record<string, string> }>({
    method,
    url: path,
    // before anything of the body is read
    onRequest: async (request) => {
      roles.set(request, await authorize(name, request, options));
    },
    handler: async (request, reply) => {
      const forwardedBy = request.headers[FORWARDED_BY];
      const answer = await options.handlers[name]({
        params: request.params,
        body: bodyOf(name, request.body, options.supported),
        role: roles.get(request) ?? "none",
        ...(typeof forwardedBy === "string" ? { forwardedBy } : {}),
      });
      if (!hasEntityTag(name)) return answer;
      const tag = entityTag(answer);
      reply.header("etag", tag);
      return isKnown(tag, request.headers["if-none-match"]) ? reply.status(304).send() : answer;
    },
  });
}

/** The role of the caller, who may do this; `none` where nobody is asked who they are. */
async function authorize(
  name: RouteName,
  request: FastifyRequest,
  { callerOf, notJoined }: ManagementApiOptions,
): Promise<ManagementRole> {
  const { auth } = routes[name];
  if (auth === "none") return "none";
  const caller = await callerOf(request.headers.authorization);
  if (caller === undefined) {
    throw refuse(
      refusals.unauthorized,
      "the credentials given are neither those of this cluster nor of one of its users: send username and password of its Secret as Basic credentials",
    );
  }
  const isAllowed = auth === "cluster" ? caller.isCluster : rolesWith(auth).includes(caller.role);
  if (!isAllowed) {
    const needed =
      auth === "cluster"
        ? "only the nodes of the cluster do this among themselves"
        : `it takes the permission ${auth}, which the roles ${rolesWith(auth).join(", ")} have`;
    throw refuse(refusals.forbidden, `${caller.name} has the role ${caller.role}: ${needed}`);
  }
  const reason = notJoined();
  if (reason !== undefined) throw refuse(refusals.notJoined, reason);
  return caller.role;
}

function refuseUnrouted(request: FastifyRequest, reply: FastifyReply): never {
  const path = pathOf(request);
  const methods = methodsOf(path);
  if (methods.length === 0) throw refuse(refusals.noSuchPath, `${request.method} ${path} is no operation of this API`);
  reply.header("allow", methods.join(", "));
  throw refuse(refusals.methodNotAllowed, `${path} takes ${methods.join(", ")}, not ${request.method}`);
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const relayed = relayedAnswer(error);
  if (relayed !== undefined) return reply.status(relayed.status).send(relayed.body);
  const known = isClientError(error) ? refusedByServer(error) : error;
  const refusal = refusalOf(known);
  const description = messageOf(known);
  if (refusal.status === 500) log.error("a request failed", { method: request.method, path: pathOf(request), error });
  if (refusal.status === 401) reply.header("www-authenticate", 'Basic realm="store-enterprise", charset="UTF-8"');
  const body: ErrorBody = { error_code: refusal.errorCode, description, message: description };
  return reply.status(refusal.status).send(body);
}

/** What fastify itself refuses, in our words. */
function refusedByServer(error: FastifyError): Fault {
  switch (error.statusCode) {
    case 413:
      return refuse(refusals.bodyTooLarge, `the body is larger than the ${BODY_BYTES} bytes that are read`);
    case 415:
      return refuse(refusals.notJson, "the body must be JSON: send the header Content-Type: application/json");
    default:
      return refuse(refusals.badRequest, messageOf(error));
  }
}

/** What the leader answered to a write that this node carried to it. */
function relayedAnswer(error: unknown): { readonly status: number; readonly body: ErrorBody } | undefined {
  if (!(error instanceof Fault)) return undefined;
  const { status, error_code, description } = error.details;
  if (typeof status !== "number" || typeof error_code !== "string" || typeof description !== "string") return undefined;
  return { status, body: { error_code, description, message: description } };
}

function isClientError(error: unknown): error is FastifyError {
  return (
    error instanceof Error &&
    !(error instanceof Fault) &&
    "statusCode" in error &&
    typeof error.statusCode === "number" &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  );
}

/** Takes JSON and nothing else; `POST` of an action with that header and nothing in it is no error. */
function acceptJson(server: HttpsInstance): void {
  server.removeContentTypeParser(["application/json", "text/plain"]);
  server.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    if (text === "") {
      done(null, undefined);
      return;
    }
    try {
      done(null, JSON.parse(String(text)));
    } catch (error) {
      done(refuse(refusals.badRequest, `the body is no JSON: ${messageOf(error)}`));
    }
  });
}

function routeNames(): readonly RouteName[] {
  return Object.keys(routes).filter((name): name is RouteName => name in routes);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}
