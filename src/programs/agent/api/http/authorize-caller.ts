import type { FastifyRequest } from "fastify";
import { rolesWith } from "../../../../core/api/management-roles.ts";
import { routes } from "../../../../ports/management/routes.ts";
import type { RouteName } from "../../../../ports/management/routes.ts";
import type { ClusterUser } from "../../../../core/api/records.ts";
import { messageOf } from "#kit/base/fault";
import { FORWARDED_BY, ON_BEHALF_OF } from "../../../../ports/management/request.ts";
import { userOf } from "../users/acting-user.ts";
import type { UserMark } from "../users/acting-user.ts";
import { callerOfUser } from "./auth.ts";
import type { Authenticate, Caller } from "./auth.ts";
import { refusals, refuse } from "./refusals.ts";

/** Who may call, and when. */
export interface AuthorizeContext {
  /** Finds the owner of the Basic credentials of a header; undefined for credentials that are unknown. */
  readonly callerOf: Authenticate;
  /** Users as this node last saw them. */
  readonly users: () => readonly ClusterUser[];
  /** Users as the API server has them now. */
  readonly readUsers: () => Promise<readonly ClusterUser[]>;
  /** The Kubernetes API has not confirmed a renewal of this node for the length of a lease: its users may be old. */
  readonly isStale: () => boolean;
  /** Why the API cannot be used yet; undefined once the node has joined. */
  readonly notJoined: () => string | undefined;
}

/**
 * Refuses a caller who may not use the route; `onCaller` gets each caller with right credentials. Current facts decide what users may do: a node
 * that may have old facts lets users read its own metrics only, and a write reads the users from the API server first.
 */
export async function authorizeCaller(
  name: RouteName,
  request: FastifyRequest,
  context: AuthorizeContext,
  onCaller: (caller: Caller) => void,
): Promise<void> {
  const { auth, method, gives } = routes[name];
  if (auth === "none") return;
  const caller = await callerOfRequest(request, context);
  if (gives !== "text") requireFreshUsers(context, caller);
  if (caller === undefined) throw unknownCaller();
  onCaller(caller);
  requireAllowed(name, caller);
  const reason = context.notJoined();
  if (reason !== undefined) throw refuse(refusals.notJoined, reason);
  if (method === "GET" || caller.user === undefined) return;
  const current = await currentCaller(context, caller.user);
  if (current === undefined) throw unknownCaller();
  requireAllowed(name, current);
}

/** A node passes on what a user asked it with the login of the cluster: the caller is that user then, with the rights that it has here. */
async function callerOfRequest(request: FastifyRequest, context: AuthorizeContext): Promise<Caller | undefined> {
  const caller = await context.callerOf(request.headers.authorization, request.ip);
  const forwardedBy = request.headers[FORWARDED_BY];
  if (caller?.isCluster !== true || typeof forwardedBy !== "string") return caller;
  const mark = markIn(request.headers[ON_BEHALF_OF]);
  if (mark === "cluster") return { ...caller, forwardedBy };
  // it may have been made a moment ago, where this node has not read it yet
  const user = userOf(context.users(), mark) ?? (await currentUser(context, mark));
  return user && { ...callerOfUser(user), forwardedBy };
}

/** A node of an older release names no user: what it passes on counts as from the cluster. */
function markIn(header: string | string[] | undefined): UserMark | "cluster" {
  if (header === undefined || header === "cluster") return "cluster";
  const [, uid, secret = ""] = /^(\d{1,15})\/([-.a-z0-9]{1,253})$/.exec(String(header)) ?? [];
  if (uid === undefined) throw refuse(refusals.badRequest, `${ON_BEHALF_OF} must be "cluster" or <uid>/<Secret>`);
  return { uid: Number(uid), secret };
}

function requireFreshUsers({ isStale }: AuthorizeContext, caller: Caller | undefined): void {
  if (caller?.isCluster === true || !isStale()) return;
  throw refuse(refusals.stale, "the Kubernetes API does not reach this node: who may log in is not known here");
}

function requireAllowed(name: RouteName, caller: Caller): void {
  const { auth } = routes[name];
  if (auth === "none") return;
  const isAllowed = auth === "cluster" ? caller.isCluster : rolesWith(auth).includes(caller.role);
  if (isAllowed) return;
  const needed =
    auth === "cluster"
      ? "only the nodes of the cluster may do this"
      : `it takes the permission ${auth}, which the roles ${rolesWith(auth).join(", ")} have`;
  throw refuse(refusals.forbidden, `${caller.name} has the role ${caller.role}: ${needed}`);
}

async function currentCaller(context: AuthorizeContext, mark: UserMark): Promise<Caller | undefined> {
  const user = await currentUser(context, mark);
  return user && callerOfUser(user);
}

async function currentUser({ readUsers }: AuthorizeContext, mark: UserMark): Promise<ClusterUser | undefined> {
  try {
    return userOf(await readUsers(), mark);
  } catch (error) {
    const why = `whether the user may do this cannot be read from the Kubernetes API: ${messageOf(error)}`;
    throw refuse(refusals.stale, why);
  }
}

function unknownCaller(): Error {
  return refuse(
    refusals.unauthorized,
    "the credentials given are neither those of this cluster nor of one of its users: send username and password of its Secret as Basic credentials",
  );
}
