import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#kit/base/log";
import { routes } from "../../../../ports/management/routes.ts";
import type { RouteName } from "../../../../ports/management/routes.ts";
import { nameIn, type Caller } from "./auth.ts";
import type { FailedLogins } from "./failed-logins.ts";

/** Where lines are left, and which failed logins get one. */
export interface AuditContext {
  readonly log: Log;
  readonly failedLogins: FailedLogins;
}

/**
 * Leaves one line in the log for each write that a client asked for, whatever became of it, and for logins that failed (`FailedLogins`):
 * the name, the address, what was asked, and the answer. A write that another node forwards has its line there; what nodes ask each other has none.
 */
export function audit(
  { log, failedLogins }: AuditContext,
  name: RouteName,
  caller: Caller | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, auth } = routes[name];
  const said = { address: request.ip, method, path: pathOf(request.url), status: reply.statusCode };
  if (caller === undefined) {
    if (request.headers.authorization === undefined || reply.statusCode !== 401) return;
    const failures = failedLogins.failed(request.ip);
    if (failures !== undefined)
      log.warn("a login failed", { user: nameIn(request.headers.authorization), ...said, failures });
    return;
  }
  if (method === "GET" || auth === "cluster" || caller.forwardedBy !== undefined) return;
  log.info("a management write was answered", { user: caller.name, role: caller.role, ...said });
}

/** Parameters of a query may be long; no write takes one that matters. */
function pathOf(url: string): string {
  return url.split("?", 1)[0]?.slice(0, 200) ?? "";
}
