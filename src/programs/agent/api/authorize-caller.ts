import type { FastifyRequest } from "fastify";
import { rolesWith, type ManagementRole } from "../../../core/api/management-roles.ts";
import { routes } from "../../../ports/management/routes.ts";
import type { RouteName } from "../../../ports/management/routes.ts";
import type { Caller } from "./auth.ts";
import { refusals, refuse } from "./refusals.ts";

/** Who may call, and when. */
export interface AuthorizeContext {
  /** Whose Basic credentials a header carries; undefined for credentials that are unknown. */
  readonly callerOf: (header: string | undefined) => Promise<Caller | undefined>;
  /** Why the API cannot be used yet; undefined once the node has joined. */
  readonly notJoined: () => string | undefined;
}

/** The role of a caller who may use the route; `none` for a route without authentication. Refuses any other caller. */
export async function authorizeCaller(
  name: RouteName,
  request: FastifyRequest,
  { callerOf, notJoined }: AuthorizeContext,
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
        ? "only the nodes of the cluster may do this"
        : `it takes the permission ${auth}, which the roles ${rolesWith(auth).join(", ")} have`;
    throw refuse(refusals.forbidden, `${caller.name} has the role ${caller.role}: ${needed}`);
  }
  const reason = notJoined();
  if (reason !== undefined) throw refuse(refusals.notJoined, reason);
  return caller.role;
}
