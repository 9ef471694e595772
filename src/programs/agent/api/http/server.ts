import fastify from "fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Server } from "node:https";
import { EXPOSITION_TYPE } from "../../../../core/api/metrics/exposition.ts";
import type { StoreVersion } from "../../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import { isDeeperThan, MOST_LEVELS } from "#kit/base/json-depth";
import type { Log } from "#kit/base/log";
import { capConnections, PATIENCE, type CappedConnections } from "#kit/processes/connection-caps";
import { type RouteName, routes } from "../../../../ports/management/routes.ts";
import type { SecretFiles } from "../../runtime/mounted-secret.ts";
import type { AskElsewhere } from "./ask-elsewhere.ts";
import type { HandlerCall, Handlers } from "./handler-call.ts";
import { actFor, type Acting } from "../users/acting-user.ts";
import { acceptArchives } from "../modules/archives.ts";
import { audit } from "./audit.ts";
import type { Caller } from "./auth.ts";
import { authorizeCaller, type AuthorizeContext } from "./authorize-caller.ts";
import { bodiesFor, type Bodies } from "./bodies.ts";
import { FailedLogins } from "./failed-logins.ts";
import { entityTag, hasEntityTag, matchesTag } from "./entity-tag.ts";
import { answerError, answerMalformed, BODY_BYTES, refuseUnrouted } from "./errors.ts";
import { onlyFields, parseQuery } from "./query.ts";
import { refusals, refuse } from "./refusals.ts";

export interface ManagementApiOptions extends AuthorizeContext {
  readonly host: string;
  readonly port: number;
  readonly tls: SecretFiles<"tls.crt" | "tls.key">;
  readonly handlers: Handlers;
  /** The answer of another node when the records of this one may be old; undefined when it may answer itself. */
  readonly askElsewhere: AskElsewhere;
  /** Database versions that its release carries. */
  readonly supported: readonly StoreVersion[];
  /** Where archives lie while they are received and looked into; what a crash left there goes when its owner opens it again. */
  readonly archiveFolder: string;
  readonly clock: Clock;
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
    https: {
      key: options.tls["tls.key"],
      cert: options.tls["tls.crt"],
      minVersion: "TLSv1.2",
      ...PATIENCE,
      headersTimeout: HEADERS_MS,
    },
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: true,
    logger: false,
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request, reply, options.log);
    },
  });
  server.setNotFoundHandler(refuseUnrouted);
  server.setErrorHandler((error, request, reply) => answerError(error, request, reply, options.log));
  acceptJson(server);
  const connections = capConnections(server.server, CAPS);
  const failedLogins = new FailedLogins(options.clock);
  const mounted = { ...options, connections, failedLogins, bodies: bodiesFor(options.supported) };
  for (const name of routeNames().filter((each) => routes[each].takes !== "archive")) mount(server, name, mounted);
  await server.register(async (forms: HttpsInstance) => {
    acceptArchives(forms, options.archiveFolder);
    for (const name of routeNames().filter((each) => routes[each].takes === "archive")) mount(forms, name, mounted);
  });
  await server.listen({ host: options.host, port: options.port });
  return {
    useTls: (tls) => {
      server.server.setSecureContext({ key: tls["tls.key"], cert: tls["tls.crt"], minVersion: "TLSv1.2" });
    },
    close: () => server.close(),
  };
}

/** A request that has not arrived as a whole by then is given up, in milliseconds. */
const REQUEST_MS = 120_000;
/** And one whose head has not; the archive of a module takes longer. */
const HEADERS_MS = 10_000;
/** Peers, operators and users; a handshake takes up to 100 KiB. Half of it is for nodes, operator and rigger while users wait for answers. */
const CAPS = { total: 512, ofAddress: 128, waiting: 256 } as const;

/** Bodies are checked against the records' own schemas. The compilers that fastify loads otherwise take time and memory at each start. */
function refuseSchemas(): never {
  throw new Error("a route of the management API has no schema of fastify");
}

type HttpsInstance = FastifyInstance<Server>;

interface MountedApi extends ManagementApiOptions {
  readonly connections: CappedConnections;
  readonly failedLogins: FailedLogins;
  readonly bodies: Bodies;
}

function mount<N extends RouteName>(server: HttpsInstance, name: N, options: MountedApi): void {
  const { method, path } = routes[name];
  const { bodies, connections } = options;
  const callers = new WeakMap<FastifyRequest, Caller>();
  server.route<{ Params: Record<string, string> }>({
    method,
    url: path,
    // before anything of the body is read
    onRequest: async (request) => {
      await authorizeCaller(name, request, options, (caller) => {
        callers.set(request, caller);
        // nodes, operator and rigger need their connections; those of users give way
        if (caller.isCluster) connections.keep(request.raw.socket);
      });
    },
    onResponse: async (request, reply) => audit(options, name, callers.get(request), request, reply),
    handler: async (request, reply) => {
      const caller = callers.get(request);
      // a caller that need not log in keeps no connection
      if (routes[name].auth === "none") reply.header("connection", "close");
      const query = parseQuery(name, request.query);
      const call: HandlerCall<N> = {
        params: request.params,
        body: bodies.parse(name, request.body),
        query,
        ...(caller?.forwardedBy === undefined ? {} : { forwardedBy: caller.forwardedBy }),
      };
      const run = async () => (await options.askElsewhere(name, call)) ?? (await options.handlers[name](call));
      const given = await actFor(actingOf(name, caller), run);
      const answer = onlyFields(given, query.fields);
      if (routes[name].gives === "text") reply.type(EXPOSITION_TYPE);
      if (!hasEntityTag(name)) return answer;
      const tag = entityTag(answer);
      reply.header("etag", tag);
      return matchesTag(tag, request.headers["if-none-match"]) ? reply.status(304).send() : answer;
    },
  });
}

function actingOf(name: RouteName, caller: Caller | undefined): Acting | undefined {
  const { auth } = routes[name];
  if (caller?.user === undefined || auth === "none" || auth === "cluster") return undefined;
  return { user: caller.user, permission: auth };
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
      const body: unknown = JSON.parse(String(text));
      const tooDeep = refuse(refusals.badRequest, `the body must be at most ${MOST_LEVELS} levels deep`);
      if (isDeeperThan(body, MOST_LEVELS)) done(tooDeep);
      else done(null, body);
    } catch (error) {
      done(refuse(refusals.badRequest, `the body is no JSON: ${messageOf(error)}`));
    }
  });
}

function routeNames(): readonly RouteName[] {
  return Object.keys(routes).filter((name): name is RouteName => name in routes);
}
