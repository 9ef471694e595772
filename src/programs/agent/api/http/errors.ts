import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Socket } from "node:net";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { ErrorBody } from "../../../../ports/management/records.ts";
import { insteadOf } from "../../../../ports/management/not-offered.ts";
import { routes } from "../../../../ports/management/routes.ts";
import { refusalOf, refusals, refuse } from "./refusals.ts";

/** The longest body that is read, in bytes. */
export const BODY_BYTES = 1_048_576;

/** Refuses a path or a method that the API does not have. */
export function refuseUnrouted(request: FastifyRequest, reply: FastifyReply): never {
  const path = pathOf(request);
  const instead = insteadOf(request.method, path);
  if (instead !== undefined) {
    throw refuse(refusals.notOffered, `${request.method} ${path} is not offered; what comes closest: ${instead}`);
  }
  const methods = methodsOf(path);
  if (methods.length === 0) throw refuse(refusals.noSuchPath, `${request.method} ${path} is no operation of this API`);
  reply.header("allow", methods.join(", "));
  throw refuse(refusals.methodNotAllowed, `${path} takes ${methods.join(", ")}, not ${request.method}`);
}

/** Answers a request that failed; a failure that is no refusal is logged. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const relayed = relayedAnswer(error);
  if (relayed !== undefined) return reply.status(relayed.status).send(relayed.body);
  const known = isClientError(error) ? refusedByServer(error) : error;
  const refusal = refusalOf(known);
  const description = messageOf(known);
  if (refusal.status === 500) log.error("a request failed", { method: request.method, path: pathOf(request), error });
  // who is unknown holds no connection
  if (refusal.status === 401)
    reply.headers({ "www-authenticate": 'Basic realm="store-enterprise", charset="UTF-8"', connection: "close" });
  const body: ErrorBody = { error_code: refusal.errorCode, description, message: description };
  return reply.status(refusal.status).send(body);
}

/** Answers what is no HTTP, and ends the connection. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // before the end of a handshake nothing can be said
  if (!socket.writable || error.code?.startsWith("ERR_TLS") === true) {
    socket.destroy();
    return;
  }
  const description = `the request is no HTTP that is understood: ${messageOf(error)}`;
  const { status, errorCode } = refusals.badRequest;
  const body: ErrorBody = { error_code: errorCode, description, message: description };
  const text = JSON.stringify(body);
  const type = `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}`;
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${type}\r\nconnection: close\r\n\r\n${text}`);
  socket.destroySoon();
}

/** What fastify itself refuses, as a refusal of this API. */
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

/** What the leader answered to a write that this node forwarded. */
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

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}

/** The methods that the API has for a path without its query, sorted; empty when it has no such path. */
function methodsOf(path: string): readonly string[] {
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  // whatever can be read can be asked for without its body
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : [])])].toSorted();
}

const PATHS = Object.values(routes).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
}));
