import type { IncomingMessage, ServerResponse } from "node:http";
import { authenticate } from "../auth/authenticate.ts";
import { isAllowed, refusalOf, type Action } from "../auth/rbac.ts";
import { ANONYMOUS } from "../auth/user.ts";
import type { DiscoveryPaths } from "../discovery/paths.ts";
import { qualified, refusals, refuse, statusOf } from "../faults.ts";
import { serveResource } from "../rest/route.ts";
import type { World } from "../world.ts";
import { answer, type Call } from "./call.ts";
import { targetOf, type Target } from "./target.ts";

/** Paths that anyone may read, so that probes need no credentials. */
const OPEN_PATHS = ["/healthz", "/livez", "/readyz", "/version"];

/** Carries out one request from its head to the last byte of the answer; never rejects. */
export async function handle(
  world: World,
  discovery: DiscoveryPaths,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const warnings = new Set<string>();
  try {
    const url = new URL(request.url ?? "/", "https://localhost");
    const path = url.pathname;
    const open = OPEN_PATHS.some((each) => path === each || path.startsWith(`${each}/`));
    const user = open ? ANONYMOUS : authenticate(request, world.store, world.tokenKey, world.clock.now());
    const method = request.method ?? "GET";
    const call: Call = { request, response, method, path, query: url.searchParams, user, warnings };
    const target = targetOf(method, path, url.searchParams);
    if (!open) authorize(world, call, target);
    if (target !== undefined) await serveResource(world, call, target);
    else discovery.serve(call);
  } catch (error) {
    fail(world, { request, response, warnings }, error);
  }
}

function authorize(world: World, call: Call, target: Target | undefined): void {
  const action: Action =
    target === undefined
      ? { kind: "path", verb: call.method.toLowerCase(), path: call.path }
      : { kind: "resource", ...target };
  if (isAllowed(world.store, call.user, action)) return;
  const why = refusalOf(call.user, action);
  if (target === undefined) throw refuse(refusals.forbidden, `forbidden: ${why}`);
  const { group, plural, name } = target;
  const about = `${qualified({ group, plural })}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  throw refuse(refusals.forbidden, `${about} is forbidden: ${why}`, {
    ...(name === undefined ? {} : { name }),
    group,
    kind: plural,
  });
}

function fail(
  world: World,
  { request, response, warnings }: Pick<Call, "request" | "response" | "warnings">,
  error: unknown,
): void {
  const status = statusOf(error);
  if (status.code === 500) world.log.error("a request failed", { path: request.url, error });
  // a body that nobody read would be taken for the next request
  if (!request.complete) response.setHeader("connection", "close");
  if (response.headersSent) response.destroy();
  else answer({ response, warnings }, status.code, status);
}
