import fastify from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Server } from "node:https";
import { Fault, messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { StoreVersion } from "../../api/records.ts";
import type { ErrorBody } from "../../management/records.ts";
import { FORWARDED_BY } from "../../management/request.ts";
import { routes } from "../../management/routes.ts";
import type { BodyOf, ReplyOf, RouteName } from "../../management/routes.ts";
import { isAuthorized } from "./auth.ts";
import { bodyOf } from "./bodies.ts";
import { refusalOf, refusals, refuse } from "./refusals.ts";
import type { SecretFiles } from "../node/secret-files.ts";

/** What a handler is given: path parameters as text, the checked body. */
export interface Call<N extends RouteName> {
  readonly params: Readonly<Record<string, string>>;
  readonly body: BodyOf<N>;
  /** uid of the node that carried this write here because it does not lead; absent when a client called. */
  readonly forwardedBy?: string;
}

/** One handler a route: a route without one does not compile. */
export type Handlers = { readonly [N in RouteName]: (call: Call<N>) => Promise<ReplyOf<N>> };

export interface ManagementApiOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: SecretFiles<"tls.crt" | "tls.key">;
  /** Asked at each request, so that changed credentials count at once. */
  readonly credentials: () => { readonly username: string; readonly password: string };
  readonly handlers: Handlers;
  /** Why the API cannot be used yet; undefined once the node has joined. */
  readonly notJoined: () => string | undefined;
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
    bodyLimit: 1_048_576,
    forceCloseConnections: true,
    logger: false,
  });
  server.setNotFoundHandler((request) => {
    throw refuse(refusals.noSuchPath, `${request.method} ${pathOf(request)} is no operation of this API`);
  });
  server.setErrorHandler((error, request, reply) => answerError(error, request, reply, options.log));
  acceptEmptyJson(server);
  for (const name of routeNames()) mount(server, name, options);
  await server.listen({ host: options.host, port: options.port });
  return {
    useTls: (tls) => {
      server.server.setSecureContext({ key: tls["tls.key"], cert: tls["tls.crt"], minVersion: "TLSv1.2" });
    },
    close: () => server.close(),
  };
}

type HttpsInstance = FastifyInstance<Server>;

function mount<N extends RouteName>(server: HttpsInstance, name: N, options: ManagementApiOptions): void {
  const { method, path, auth } = routes[name];
  server.route<{ Params: Record<string, string> }>({
    method,
    url: path,
    handler: async (request) => {
      if (auth === "admin") authorize(request, options);
      const forwardedBy = request.headers[FORWARDED_BY];
      return options.handlers[name]({
        params: request.params,
        body: bodyOf(name, request.body, options.supported),
        ...(typeof forwardedBy === "string" ? { forwardedBy } : {}),
      });
    },
  });
}

function authorize(request: FastifyRequest, options: ManagementApiOptions): void {
  if (!isAuthorized(request.headers.authorization, options.credentials())) {
    throw refuse(
      refusals.unauthorized,
      "the credentials given are not those of this cluster: send username and password of its Secret as Basic credentials",
    );
  }
  const reason = options.notJoined();
  if (reason !== undefined) throw refuse(refusals.notJoined, reason);
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const relayed = relayedAnswer(error);
  if (relayed !== undefined) return reply.status(relayed.status).send(relayed.body);
  const refusal = isClientError(error) ? refusals.badRequest : refusalOf(error);
  const description = descriptionOf(error);
  if (refusal.status === 500) log.error("a request failed", { method: request.method, path: pathOf(request), error });
  if (refusal.status === 401) reply.header("www-authenticate", 'Basic realm="store-enterprise", charset="UTF-8"');
  const body: ErrorBody = { error_code: refusal.errorCode, description, message: description };
  return reply.status(isClientError(error) ? error.statusCode : refusal.status).send(body);
}

function descriptionOf(error: unknown): string {
  const isForeign = isClientError(error) && error.statusCode === 415;
  return isForeign ? "the body must be JSON: send the header Content-Type: application/json" : messageOf(error);
}

/** What the leader answered to a write that this node carried to it. */
function relayedAnswer(error: unknown): { readonly status: number; readonly body: ErrorBody } | undefined {
  if (!(error instanceof Fault)) return undefined;
  const { status, error_code, description } = error.details;
  if (typeof status !== "number" || typeof error_code !== "string" || typeof description !== "string") return undefined;
  return { status, body: { error_code, description, message: description } };
}

/** What fastify itself refuses: malformed JSON, a body too large, an unknown media type. */
function isClientError(error: unknown): error is Error & { readonly statusCode: number } {
  return (
    error instanceof Error &&
    !(error instanceof Fault) &&
    "statusCode" in error &&
    typeof error.statusCode === "number" &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  );
}

/** `POST` of an action with `Content-Type: application/json` and nothing in it is no error. */
function acceptEmptyJson(server: HttpsInstance): void {
  server.removeContentTypeParser("application/json");
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
