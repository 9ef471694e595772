import type { FastifyRequest } from "fastify";
import { rolesWith } from "../../../core/api/management-roles.ts";
import { routes } from "../../../ports/management/routes.ts";
import type { RouteName } from "../../../ports/management/routes.ts";
import type { Authenticate, Caller } from "./auth.ts";
import { refusals, refuse } from "./refusals.ts";

/** Who may call, and when. */
export interface AuthorizeContext {
  /** Whose Basic credentials a header carries; undefined for credentials that are unknown. */
  readonly callerOf: Authenticate;
  /** Why the API cannot be used yet; undefined once the node has joined. */
  readonly notJoined: () => string | undefined;
}

/** Refuses a caller who may not use the route; `onCaller` gets each whose credentials are right. */
export async function authorizeCaller(
  name: RouteName,
  request: FastifyRequest,
  { callerOf, notJoined }: AuthorizeContext,
  onCaller: (caller: Caller) => void,
): Promise<void> {
  const { auth } = routes[name];
  if (auth === "none") return;
  const caller = await callerOf(request.headers.authorization, request.ip);
  if (caller === undefined) {
    throw refuse(
      refusals.unauthorized,
      "the credentials given are neither those of this cluster nor of one of its users: send username and password of its Secret as Basic credentials",
    );
  }
  onCaller(caller);
  const isAllowed = auth === "cluster" ? caller.isCluster : rolesWith(auth).includes(caller.role);
  if (!isAllowed) {
    const needed =
      auth === "cluster"
        ? "only the nodes of the cluster may do this"
        : `it takes the permission ${auth}, which the roles ${rolesWith(auth).join(", ")} have`;
    throw refuse(refusals.forbidden, `${caller.name} has the role ${caller.role}: ${needed}`);
  }
  const reason = notJoined();
  if (reason !== undefined) throw refuse(refusals.notJoined, reason);
}
