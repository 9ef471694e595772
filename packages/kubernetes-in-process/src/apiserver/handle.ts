import type { IncomingMessage, ServerResponse } from "node:http";
import { authenticate } from "./auth/authenticate.ts";
import { authorize } from "./auth/authorize.ts";
import { ANONYMOUS } from "./auth/user.ts";
import type { DiscoveryPaths } from "./discovery/paths.ts";
import { statusBody } from "./faults.ts";
import { serveResource } from "./rest/route.ts";
import type { ServerContext } from "./context/server-context.ts";
import { answer, type ApiCall } from "./http/call.ts";
import { targetOf } from "./http/target.ts";

/** Paths that anyone may read, so that probes need no credentials. */
const OPEN_PATHS = ["/healthz", "/livez", "/readyz", "/version"];

/** Carries out one request from its head to the last byte of the answer; never rejects. */
export async function handle(
  context: ServerContext,
  discovery: DiscoveryPaths,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const warnings = new Set<string>();
  try {
    const url = new URL(request.url ?? "/", "https://localhost");
    const path = url.pathname;
    const open = OPEN_PATHS.some((each) => path === each || path.startsWith(`${each}/`));
    const user = open ? ANONYMOUS : authenticate(request, context.store, context.tokenKey, context.clock.now());
    const method = request.method ?? "GET";
    const call: ApiCall = { request, response, method, path, query: url.searchParams, user, warnings };
    const target = targetOf(method, path, url.searchParams);
    if (!open) authorize(context, call.user, target ?? call);
    if (target !== undefined) await serveResource(context, call, target);
    else discovery.serve(call);
  } catch (error) {
    fail(context, { request, response, warnings }, error);
  }
}

function fail(
  context: ServerContext,
  { request, response, warnings }: Pick<ApiCall, "request" | "response" | "warnings">,
  error: unknown,
): void {
  const status = statusBody(error);
  if (status.code === 500) context.log.error("a request failed", { path: request.url, error });
  // an unread body would be taken for the next request
  if (!request.complete) response.setHeader("connection", "close");
  if (response.headersSent) response.destroy();
  else answer({ response, warnings }, status.code, status);
}
